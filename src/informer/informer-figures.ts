/** What `informer.stats` says. */
import type { InformerCore } from './core.ts';
import type { InformerStats } from './informer-types.ts';

export function figuresOf<T>(core: InformerCore<T>): Omit<InformerStats, 'errors' | 'state'> {
  const { indexer, bodies, holds, processor, feeds } = core;
  const listeners = [...processor.listeners];
  return {
    objects: indexer.size,
    hasSynced: core.hasSynced,
    resourceVersion: indexer.resourceVersion,
    events: processor.distributed,
    handlerErrors: processor.handlerErrors,
    handlers: listeners.length,
    backlog: Math.max(0, ...listeners.map(({ backlog }) => backlog)),
    laps: listeners.reduce((sum, { laps }) => sum + laps, 0),
    indexErrors: core.indexErrors,
    transformErrors: core.transformErrors,
    indexBytes: indexer.memoryBytes,
    heldBytes: holds.heldBytes,
    decoded: bodies.decoded,
    decodeCacheBytes: bodies.cachedBytes,
    queued: feeds.reduce((sum, { queued }) => sum + queued, 0),
  };
}
