/** Whether people can trust a cache, and what its reflector has been through. */
import {
  STATUS_BACKOFF_UNTIL_MS,
  STATUS_BODY_FALLBACKS,
  STATUS_BYTES,
  STATUS_CONTACT_MS,
  STATUS_FALLBACKS,
  STATUS_INDEX_ERRORS,
  STATUS_LISTS,
  STATUS_MEMORY_WAITS,
  STATUS_RECEIVED_WORD64,
  STATUS_RELISTS,
  STATUS_REWATCHES,
  STATUS_RING_WAITS,
  STATUS_TRANSFORM_ERRORS,
  STATUS_WATCHES,
} from '../layout/status.ts';
import type { ReflectorState } from '../reflector/index.ts';
import type { InformerError } from './errors.ts';

/** How an informer is doing. Ages and waits are in milliseconds. */
export interface InformerHealth {
  readonly state: ReflectorState;
  /** A list or watch is open, and the server is heard. */
  readonly connected: boolean;
  /** The first list is in the cache. */
  readonly synced: boolean;
  /** The cache may be behind: the last try failed, or objects found no room. The informer goes on by itself. */
  readonly degraded: boolean;
  /** Since something came from the server, bookmarks included; undefined before the first time. */
  readonly lastContactAgeMs: number | undefined;
  /** Since a change was handled; undefined before the first one. */
  readonly lastEventAgeMs: number | undefined;
  readonly lastError: InformerError | undefined;
  readonly lastErrorAgeMs: number | undefined;
  /** Lists that were begun, and those of them that came after the first one was complete. */
  readonly lists: number;
  readonly relists: number;
  /** Watches that were opened, and those of them that went on where another one had ended. */
  readonly watches: number;
  readonly rewatches: number;
  /** Streams of initial events that did not work, so that a list was used. */
  readonly fallbacks: number;
  /** Until the next try; 0 when none is waited for. */
  readonly backoffMs: number;
}

/** Errors after which the cache is behind until the server is heard again. Bad objects are left out, not more. */
const OBJECT_ERRORS = new Set([
  'bad-object',
  'bad-objects',
  'bad-bookmark',
  'unknown-event',
  'handler-failed',
  'listener-failed',
  'index-failed',
  'transform-failed',
  'drift',
  'audit-failed',
]);

/** Keeps what `health` says. Times are those of the home thread's clock. */
export class HealthTracker {
  /** Goes to the worker, which writes it. */
  readonly status = new SharedArrayBuffer(STATUS_BYTES);
  state: ReflectorState = 'idle';
  hasSynced = false;
  lastEventMs: number | undefined;

  readonly #now: () => number;
  /** The clock when this began: times in shared memory count from here. */
  readonly #epochMs: number;
  readonly #words: Int32Array;
  readonly #words64: BigInt64Array;
  #lastError: InformerError | undefined;
  #lastErrorMs: number | undefined;
  /** Since then the cache may be behind. */
  #troubleMs: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#epochMs = now();
    this.#words = new Int32Array(this.status);
    this.#words64 = new BigInt64Array(this.status);
  }

  /** The epoch on the wall clock, the same for all threads. */
  get epochMs(): number {
    return performance.timeOrigin + this.#epochMs;
  }

  failed(error: InformerError): void {
    this.#lastError = error;
    this.#lastErrorMs = this.#now();
    if (!OBJECT_ERRORS.has(error.code)) this.#troubleMs = this.#lastErrorMs;
  }

  get health(): InformerHealth {
    const nowMs = this.#now();
    const contactMs = this.#timeAt(STATUS_CONTACT_MS);
    const backoffUntilMs = this.#timeAt(STATUS_BACKOFF_UNTIL_MS) ?? 0;
    const isWaiting = this.state === 'backingOff';
    // Whatever came after the trouble began ends it, when the reflector is at work again.
    const isOver = this.#troubleMs !== undefined && contactMs !== undefined && contactMs > this.#troubleMs;
    const isAtWork = this.state === 'watching' || this.state === 'listing' || this.state === 'initialStream';
    const ageMs = (timeMs: number | undefined) =>
      timeMs === undefined ? undefined : Math.max(0, nowMs - timeMs);
    return {
      state: this.state,
      connected: isAtWork && contactMs !== undefined,
      synced: this.hasSynced,
      degraded:
        this.state !== 'stopped' && (isWaiting || (this.#troubleMs !== undefined && !(isOver && isAtWork))),
      lastContactAgeMs: ageMs(contactMs),
      lastEventAgeMs: ageMs(this.lastEventMs),
      lastError: this.#lastError,
      lastErrorAgeMs: ageMs(this.#lastErrorMs),
      lists: this.#at(STATUS_LISTS),
      relists: this.#at(STATUS_RELISTS),
      watches: this.#at(STATUS_WATCHES),
      rewatches: this.#at(STATUS_REWATCHES),
      fallbacks: this.#at(STATUS_FALLBACKS),
      backoffMs: isWaiting ? Math.max(0, backoffUntilMs - nowMs) : 0,
    };
  }

  /** Failures of index functions in the worker. */
  get indexErrors(): number {
    return this.#at(STATUS_INDEX_ERRORS);
  }

  /** Failures of the transform function. */
  get transformErrors(): number {
    return this.#at(STATUS_TRANSFORM_ERRORS);
  }

  /** Bytes of lists and watches, decompressed. */
  get receivedBytes(): number {
    return Number(Atomics.load(this.#words64, STATUS_RECEIVED_WORD64));
  }

  /** How often the worker waited for room on the ring, and in the arena. */
  get ringWaits(): number {
    return this.#at(STATUS_RING_WAITS);
  }

  get memoryWaits(): number {
    return this.#at(STATUS_MEMORY_WAITS);
  }

  /** Bodies that could not be made records. */
  get bodyFallbacks(): number {
    return this.#at(STATUS_BODY_FALLBACKS);
  }

  #at(word: number): number {
    return Atomics.load(this.#words, word);
  }

  /** A time on the home thread's clock. */
  #timeAt(word: number): number | undefined {
    const sinceEpochMs = this.#at(word);
    return sinceEpochMs === 0 ? undefined : this.#epochMs + sinceEpochMs;
  }
}
