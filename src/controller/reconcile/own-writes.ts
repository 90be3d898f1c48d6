/**
 * Read-your-writes: a key is not reconciled on a cache that does not have what its last reconcile wrote. Such a
 * reconcile would do the same once more, for example make a second Pod.
 *
 * Source: KEP-5647 and `pkg/controller/util/consistency` in Kubernetes, which look at the version of the whole cache;
 * besides that, the written object itself is looked at here, which is there earlier. What can't be compared does not
 * hold anybody up.
 */
import type { SharedInformer } from '../../informer/index.ts';
import { compareResourceVersions, isComparable, type ResourceRef } from '../../reflector/index.ts';
import type { Clock } from '../../workqueue/index.ts';
import type { RecordedWrite } from './context.ts';
import { keyOf } from './request.ts';

/** One object that the cache has to have. */
interface Expectation {
  readonly informer: SharedInformer;
  readonly objectKey: string;
  /** Of the write; undefined when the object was deleted. */
  readonly resourceVersion: string | undefined;
  readonly uid: string | undefined;
}

interface KeyWrites {
  /** From the last write on, so long and no longer. */
  deadlineMs: number;
  /** By resource and key of the object. */
  readonly expectations: Map<string, Expectation>;
}

export interface OwnWritesOptions {
  readonly informers: readonly SharedInformer[];
  /** Longest time to wait for the cache after a write, in milliseconds; 0 not at all. */
  readonly limitMs: number;
  readonly clock: Clock;
}

/** How a key's own writes stand: all are in the cache, some are not yet, or nobody waits for them any more. */
export type CacheState = 'current' | 'behind' | 'given-up';

export class OwnWrites {
  readonly #informers: readonly SharedInformer[];
  readonly #limitMs: number;
  readonly #clock: Clock;
  /** Those that wrote longest ago come first. */
  readonly #keys = new Map<string, KeyWrites>();

  constructor({ informers, limitMs, clock }: OwnWritesOptions) {
    this.#informers = informers;
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  /** Keys whose writes may not be in the cache yet. */
  get size(): number {
    return this.#keys.size;
  }

  /** A reconcile of `key` has written an object. */
  record(key: string, { resource, object, isDelete }: RecordedWrite): void {
    if (this.#limitMs === 0) return;
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    const informer = this.#informers.find((each) => isSame(each.resource, resource));
    if (informer === undefined || !name || (isDelete ? !uid : !resourceVersion)) return;
    this.#sweep();
    const objectKey = keyOf(namespace, name);
    const writes = this.#keys.get(key) ?? { deadlineMs: 0, expectations: new Map() };
    writes.deadlineMs = this.#clock.now() + this.#limitMs;
    writes.expectations.set(`${resource.group}/${resource.resource}/${objectKey}`, {
      informer,
      objectKey,
      resourceVersion: isDelete ? undefined : resourceVersion,
      uid,
    });
    this.#keys.delete(key);
    this.#keys.set(key, writes);
  }

  /** Whether the cache has what reconciles of `key` wrote. Once it has, or time is up, that is forgotten. */
  stateOf(key: string): CacheState {
    const writes = this.#keys.get(key);
    if (writes === undefined) return 'current';
    for (const [id, expectation] of writes.expectations) {
      if (isMet(expectation)) writes.expectations.delete(id);
    }
    const isCurrent = writes.expectations.size === 0;
    if (!isCurrent && this.#clock.now() < writes.deadlineMs) return 'behind';
    this.#keys.delete(key);
    return isCurrent ? 'current' : 'given-up';
  }

  /** Keys that are never reconciled again must not be kept for ever. */
  #sweep(): void {
    const nowMs = this.#clock.now();
    for (const [key, { deadlineMs }] of this.#keys) {
      if (deadlineMs > nowMs) return;
      this.#keys.delete(key);
    }
  }
}

function isMet({ informer: { lister }, objectKey, resourceVersion, uid }: Expectation): boolean {
  const cached = lister.ref(objectKey);
  if (resourceVersion === undefined) {
    return cached?.uid !== uid || cached?.jsonAt('metadata.deletionTimestamp') !== undefined;
  }
  return (
    !isBehind(lister.resourceVersion, resourceVersion) || isAhead(cached?.resourceVersion, resourceVersion)
  );
}

function isBehind(cacheVersion: string, written: string): boolean {
  return areComparable(cacheVersion, written) && compareResourceVersions(cacheVersion, written) < 0;
}

function isAhead(cached: string | undefined, written: string): boolean {
  return (
    cached !== undefined && areComparable(cached, written) && compareResourceVersions(cached, written) >= 0
  );
}

function areComparable(a: string, b: string): boolean {
  return isComparable(a) && isComparable(b);
}

function isSame(a: ResourceRef, b: ResourceRef): boolean {
  return a.group === b.group && a.resource === b.resource;
}
