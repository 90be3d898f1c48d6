/** Waiting for caches, with a reason for each that is not synced. */
import { describeResource } from '../reflector/index.ts';
import { InformerError } from './errors.ts';
import type { SharedInformer } from './informer.ts';

/** How long to wait. All fields are optional. */
export interface CacheSyncOptions {
  /** Ends the waiting, not the informers. */
  readonly signal?: AbortSignal;
  /** Longest time to wait, in milliseconds. @default for ever */
  readonly timeoutMs?: number;
  /**
   * Does not wait longer for an informer whose server says that it can't work: 403 (not allowed), 404 (no such
   * resource) and 405. Informers go on trying, slowly, in case somebody mends that. @default false
   */
  readonly failFast?: boolean;
}

/** How one informer is doing. */
export interface CacheSyncResult {
  readonly informer: SharedInformer;
  /** For example `deployments.apps`. */
  readonly resource: string;
  readonly synced: boolean;
  /** Why it is not synced; undefined when it is. */
  readonly reason: string | undefined;
  /** What went wrong last, when something did and it is not synced. */
  readonly error: InformerError | undefined;
}

/** Not all caches are synced, and it is not waited any longer. */
export class CacheSyncError extends Error {
  override readonly name = 'CacheSyncError';
  readonly code = 'KUBERING_NOT_SYNCED';
  /** Of every informer, also of those that are synced. */
  readonly results: readonly CacheSyncResult[];

  /** @internal */
  constructor(results: readonly CacheSyncResult[]) {
    const missing = results.filter(({ synced }) => !synced);
    const reasons = missing.map(({ resource, reason }) => `${resource}: ${reason}`);
    super(`${missing.length} of ${results.length} caches are not synced: ${reasons.join('; ')}`);
    this.results = results;
  }
}

/** Statuses that no second try changes, unless somebody changes the server. */
const HOPELESS = new Set([403, 404, 405]);

/**
 * Waits until each informer is synced, stopped, or given up.
 * Source: `WaitForCacheSyncWithContext` in client-go's `informers/factory.go`.
 */
export async function waitForCaches(
  informers: readonly SharedInformer[],
  options: CacheSyncOptions = {},
): Promise<CacheSyncResult[]> {
  const { timeoutMs, failFast = false } = options;
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [options.signal, timeout].filter((signal) => signal !== undefined);
  const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
  await Promise.all(informers.map((informer) => waitFor(informer, signal, failFast)));
  return informers.map(resultOf);
}

function waitFor(
  informer: SharedInformer,
  signal: AbortSignal | undefined,
  failFast: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal?.removeEventListener('abort', done);
      informer.off('error', onError);
      resolve();
    };
    const onError = ({ status }: InformerError) => {
      if (status !== undefined && HOPELESS.has(status)) done();
    };
    informer.synced.then(done, done);
    if (signal?.aborted || (failFast && isHopeless(informer))) return done();
    signal?.addEventListener('abort', done, { once: true });
    if (failFast) informer.on('error', onError);
  });
}

function isHopeless(informer: SharedInformer): boolean {
  const status = informer.health().lastError?.status;
  return !informer.hasSynced && status !== undefined && HOPELESS.has(status);
}

function resultOf(informer: SharedInformer): CacheSyncResult {
  const resource = describeResource(informer.resource);
  if (informer.hasSynced) return { informer, resource, synced: true, reason: undefined, error: undefined };
  const { lastError, state } = informer.health();
  const error = lastError instanceof InformerError ? lastError : undefined;
  return { informer, resource, synced: false, reason: reasonOf(informer, state, error), error };
}

function reasonOf(informer: SharedInformer, state: string, error: InformerError | undefined): string {
  if (informer.isStopped) return 'it was stopped';
  if (!informer.isStarted) return 'it was not started: call start() of the factory again';
  if (error !== undefined) return error.message;
  return `its first list is not complete yet (the reflector is ${state})`;
}
