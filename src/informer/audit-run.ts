/**
 * One audit of one feed: lists what the server has, waits until the cache has come so far, compares, and asks for what
 * looks different once more, object by object. Only what the cache has wrong after it has reached the answer's version
 * is drift: a cache that is behind, or ahead, is not wrong.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HashSeed } from '../layout/key-hash.ts';
import { type Clock, compareResourceVersions, isComparable } from '../reflector/index.ts';
import type { BlockRef } from '../store/index.ts';
import type { ProbedObject, ProbeRequest, ProbeResult } from '../worker/index.ts';
import { compare, keyId } from './audit-compare.ts';
import { AuditJudge } from './audit-judge.ts';
import type { AuditOptions, AuditReport, Drift } from './audit-types.ts';
import type { InformerCore } from './core.ts';
import type { Feed } from './feed.ts';
import type { Prober } from './probe-desk.ts';
import type { DeltaConsumer } from './pump.ts';

const DEFAULT_MAX_SUSPECTS = 1000;
const DEFAULT_PAGE_LIMIT = 500;
const DEFAULT_PAUSE_MS = 100;

/** Keys that a report names. */
const MAX_REPORTED = 100;

/** A quiet resource's watch says once a minute how far it is; three such minutes, and something is wrong with it. */
const CATCH_UP_MS = 180_000;

/** Between two looks at how far the cache is. */
const POLL_MS = 100;

/** Deletes that are remembered while an audit runs; with more, nothing can be said. Some 10 MB. */
const MAX_DELETES = 200_000;

/** Figures that a report adds up over the feeds of an informer. */
export type RunFigures = {
  -readonly [K in keyof AuditReport as AuditReport[K] extends number ? K : never]: AuditReport[K];
} & { resourceVersion: string; drifts: Drift[] };

/** Why an audit came to no result. */
export class AuditFailure extends Error {
  readonly code: string;
  readonly status: number;

  constructor({ code, message, status }: { code: string; message: string; status: number }) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export interface RunOptions<T> {
  readonly core: InformerCore<T>;
  readonly feed: Feed<T>;
  readonly prober: Prober;
  readonly seed: HashSeed;
  readonly clock: Clock;
  readonly options: AuditOptions;
  readonly signal: AbortSignal;
  readonly figures: RunFigures;
}

/** Who lists identities gets no records. */
const NO_RECORDS: DeltaConsumer = {
  queued: 0,
  hasWork: false,
  push: () => {},
  work: () => {},
  settle: () => {},
};

export class AuditRun<T> {
  readonly #run: RunOptions<T>;
  readonly #deleted = new Set<number>();

  constructor(run: RunOptions<T>) {
    this.#run = run;
  }

  /**
   * @throws AuditFailure when nothing can be said
   * @throws the signal's reason
   */
  async run(): Promise<void> {
    const { feed } = this.#run;
    feed.onDelete = (block) => this.#onDelete(block);
    try {
      const suspects = await this.#findSuspects();
      this.#run.figures.suspects += suspects.length;
      if (suspects.length > 0) await this.#confirm(suspects);
    } finally {
      feed.onDelete = undefined;
    }
  }

  /** Keys that differ, though what the cache has is not newer than the list. */
  async #findSuspects(): Promise<string[]> {
    const { core, feed, seed, options, signal, figures } = this.#run;
    const { pageLimit = DEFAULT_PAGE_LIMIT, pauseMs = DEFAULT_PAUSE_MS } = options;
    const { maxSuspects = DEFAULT_MAX_SUSPECTS } = options;
    const { indexer } = core;
    const shards = indexer.shards.length;
    const request: ProbeRequest = { type: 'identities', shards, pageLimit, pauseMs };
    const result = await this.#ask(request, NO_RECORDS);
    if (result.type !== 'identities') throw new AuditFailure(failureOf(result));
    const { resourceVersion, table } = result;
    if (!isComparable(resourceVersion)) {
      throw new AuditFailure({
        code: 'audit-version',
        message: 'the list names no version that can be compared',
        status: 0,
      });
    }
    await this.#reach(resourceVersion);

    const suspects: string[] = [];
    const steps = compare({
      indexer,
      segments: core.segments,
      seed,
      table,
      resourceVersion,
      owns: (slot) => feed.owns(slot),
      wasDeleted: (id) => this.#mayBeDeleted(id),
      suspect(key) {
        if (suspects.length < maxSuspects) suspects.push(key);
        else figures.unconfirmed++;
      },
    });
    let step = steps.next();
    for (; !step.done; step = steps.next()) await nextTurn(undefined, { signal });
    figures.resourceVersion = resourceVersion;
    figures.objects += table.starts[shards]!;
    figures.shards = shards;
    figures.differingShards += step.value;
    return suspects;
  }

  /** Asks for each suspect alone, and has the answers judged. */
  async #confirm(keys: readonly string[]): Promise<void> {
    const { core, feed, options, prober, signal, figures } = this.#run;
    const { promise, resolve } = Promise.withResolvers<void>();
    let judged = 0;
    let expected = Number.POSITIVE_INFINITY;
    const judge = new AuditJudge<T>({
      feed,
      indexer: core.indexer,
      segments: core.segments,
      holds: core.holds,
      repairs: options.repair ?? true,
      wasDeleted: (id) => this.#mayBeDeleted(id),
      onJudged: (drift) => {
        judged++;
        if (drift !== undefined) this.#count(drift);
        if (judged === expected) resolve();
      },
    });
    const objects = keys.map(objectOf);
    const probe = prober.open(feed, { type: 'objects', objects }, judge);
    try {
      const result = await orAbort(probe.result, signal);
      if (result.type !== 'objects') throw new AuditFailure(failureOf(result));
      expected = result.put;
      if (judged < expected) await this.#orTooLate(promise);
    } finally {
      probe.close();
      judge.close();
      figures.unconfirmed += keys.length - judged;
    }
  }

  async #ask(request: ProbeRequest, consumer: DeltaConsumer): Promise<ProbeResult> {
    const { prober, feed, signal } = this.#run;
    const probe = prober.open(feed, request, consumer);
    try {
      return await orAbort(probe.result, signal);
    } finally {
      probe.close();
    }
  }

  /** Waits until everything up to a version is in the cache. */
  async #reach(resourceVersion: string): Promise<void> {
    const { feed, clock } = this.#run;
    const endMs = clock.now() + CATCH_UP_MS;
    while (!hasReached(feed.resourceVersion, resourceVersion)) {
      if (clock.now() >= endMs) {
        const message = `the cache did not come to version ${resourceVersion} within ${CATCH_UP_MS / 1000} s`;
        throw new AuditFailure({ code: 'audit-behind', message, status: 0 });
      }
      await this.#sleep(POLL_MS);
    }
    if (this.#deleted.size >= MAX_DELETES) {
      const message = `more than ${MAX_DELETES} objects were deleted meanwhile`;
      throw new AuditFailure({ code: 'audit-overrun', message, status: 0 });
    }
  }

  /** Waits for the judge, but not for ever. */
  async #orTooLate(judged: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#run.clock.setTimer(CATCH_UP_MS, resolve);
    try {
      await orAbort(Promise.race([judged, promise]), this.#run.signal);
    } finally {
      cancel();
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#run.clock.setTimer(ms, resolve);
    try {
      await orAbort(promise, this.#run.signal);
    } finally {
      cancel();
    }
  }

  #count(drift: Drift): void {
    const { figures, options } = this.#run;
    figures[drift.kind]++;
    if (options.repair ?? true) figures.repaired++;
    if (figures.drifts.length < MAX_REPORTED) figures.drifts.push(drift);
  }

  /** Beyond the limit nobody knows: then a repair could bring back what is gone. */
  #mayBeDeleted(id: number): boolean {
    return this.#deleted.size >= MAX_DELETES || this.#deleted.has(id);
  }

  #onDelete({ hashLo, hashHi }: BlockRef): void {
    if (this.#deleted.size < MAX_DELETES) this.#deleted.add(keyId(hashLo, hashHi));
  }
}

function hasReached(current: string, wanted: string): boolean {
  return current !== '' && compareResourceVersions(current, wanted) >= 0;
}

function objectOf(key: string): ProbedObject {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

/** @throws the signal's reason when it comes first */
async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function failureOf(result: ProbeResult) {
  if (result.type === 'failed') return result;
  throw new Error(`a probe was answered with ${result.type}`);
}
