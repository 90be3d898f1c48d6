/** Waiting for the caches that a controller reads. */
import {
  CacheSyncError,
  type CacheSyncResult,
  InformerError,
  type SharedInformer,
  StoppedError,
  UsageError,
} from '../../informer/index.ts';
import { describeResource } from '../../reflector/index.ts';
import type { Clock } from '../../workqueue/index.ts';

/** @throws StoppedError or UsageError for an informer that will never sync by itself */
export function requireStarted(informers: readonly SharedInformer[]): void {
  for (const { isStarted, isStopped, resource } of informers) {
    const what = `the informer of ${describeResource(resource)}`;
    if (isStopped) throw new StoppedError(`${what} was stopped: ask the factory for another one`);
    if (!isStarted) throw new UsageError(`${what} was not started: call start() of its factory first`);
  }
}

/**
 * Resolves when all caches are synced, or the signal aborts.
 *
 * @throws CacheSyncError when that takes too long: it says why for each
 * @throws StoppedError when an informer is stopped meanwhile
 */
export async function syncCaches(
  informers: readonly SharedInformer[],
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || informers.every(({ hasSynced }) => hasSynced)) return;
  const waited = Promise.withResolvers<void>();
  const onAbort = () => waited.resolve();
  signal.addEventListener('abort', onAbort);
  const cancel = clock.setTimer(timeoutMs, () => waited.reject(new CacheSyncError(informers.map(resultOf))));
  Promise.all(informers.map(({ synced }) => synced)).then(() => waited.resolve(), waited.reject);
  try {
    await waited.promise;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

function resultOf(informer: SharedInformer): CacheSyncResult {
  const resource = describeResource(informer.resource);
  if (informer.hasSynced) return { informer, resource, synced: true, reason: undefined, error: undefined };
  const { lastError, state } = informer.health();
  const error = lastError instanceof InformerError ? lastError : undefined;
  const reason = error?.message ?? `its first list is not complete yet (the reflector is ${state})`;
  return { informer, resource, synced: false, reason, error };
}
