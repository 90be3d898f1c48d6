/** What `informer.stats` and `informer.memory()` say. */
import type { AuditFigures } from './audit-types.ts';
import type { InformerCore } from './core.ts';
import type { HealthTracker } from './health.ts';
import type { InformerMemory, InformerStats } from './informer-types.ts';

export function figuresOf<T>(
  core: InformerCore<T>,
): Omit<InformerStats, 'errors' | 'state' | keyof AuditFigures> {
  const { indexer, bodies, holds, processor, feeds } = core;
  const { latencies } = processor;
  const sum = (of: (health: HealthTracker) => number) =>
    feeds.reduce((total, { health }) => total + of(health), 0);
  const listeners = [...processor.listeners];
  return {
    objects: indexer.size,
    hasSynced: core.hasSynced,
    resourceVersion: indexer.resourceVersion,
    events: processor.distributed,
    handlerErrors: processor.handlerErrors,
    handlers: listeners.length,
    backlog: Math.max(0, ...listeners.map(({ backlog }) => backlog)),
    laps: listeners.reduce((total, { laps }) => total + laps, 0),
    lapsTotal: processor.lapsTotal,
    indexErrors: core.indexErrors,
    transformErrors: core.transformErrors,
    indexBytes: indexer.memoryBytes,
    heldBytes: holds.heldBytes,
    bodyFallbacks: sum(({ bodyFallbacks }) => bodyFallbacks),
    decoded: bodies.decoded,
    decodedRecords: bodies.decodedRecords,
    decodeHits: bodies.cache.hits,
    decodeCacheBytes: bodies.cachedBytes,
    bodies: feeds.reduce((total, feed) => total + feed.bodies, 0),
    moves: feeds.reduce((total, { moves }) => total + moves, 0),
    queued: feeds.reduce((total, { queued }) => total + queued, 0),
    receivedBytes: sum(({ receivedBytes }) => receivedBytes),
    ringWaits: sum(({ ringWaits }) => ringWaits),
    memoryWaits: sum(({ memoryWaits }) => memoryWaits),
    latency: latencies && {
      processing: latencies.processing.figures,
      handlers: latencies.handlers.figures,
    },
  };
}

export function memoryOf<T>({ indexer, holds, bodies, memoryLimitBytes }: InformerCore<T>): InformerMemory {
  const { indexBytes } = indexer;
  return {
    bodyBytes: indexer.blockBytes,
    heldBytes: holds.heldBytes,
    limitBytes: memoryLimitBytes,
    tableBytes: indexer.memoryBytes - indexBytes,
    indexBytes,
    decodedBytes: bodies.cachedBytes,
  };
}
