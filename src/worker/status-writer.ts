/** Writes a reflector's status where the home thread reads it. Layout: `src/layout/status.ts`. */
import {
  STATUS_BACKOFF_UNTIL_MS,
  STATUS_BODY_FALLBACKS,
  STATUS_CONTACT_MS,
  STATUS_FALLBACKS,
  STATUS_INDEX_ERRORS,
  STATUS_LISTS,
  STATUS_MEMORY_WAITS,
  STATUS_RECEIVED_WORD64,
  STATUS_RELISTS,
  STATUS_REWATCHES,
  STATUS_RING_WAITS,
  STATUS_SYNCS,
  STATUS_TRANSFORM_ERRORS,
  STATUS_WATCHES,
} from '../layout/status.ts';
import { ListReason, type ReflectorObserver } from '../reflector/index.ts';

export class StatusWriter implements ReflectorObserver {
  readonly #words: Int32Array;
  readonly #words64: BigInt64Array;
  /** This thread's clock at the epoch of the times. */
  readonly #epochMs: number;

  /**
   * @param memory - of STATUS_BYTES
   * @param epochMs - on the wall clock, as the home thread reckoned it from its own monotonic clock
   */
  constructor(memory: SharedArrayBuffer, epochMs: number) {
    this.#words = new Int32Array(memory);
    this.#words64 = new BigInt64Array(memory);
    this.#epochMs = epochMs - performance.timeOrigin;
  }

  contact(nowMs: number): void {
    this.#setTime(STATUS_CONTACT_MS, nowMs);
  }

  received(bytes: number): void {
    Atomics.add(this.#words64, STATUS_RECEIVED_WORD64, BigInt(bytes));
  }

  /** A reader had to stop, because there is no room on the ring, or in the arena. */
  waited(isForRing: boolean): void {
    Atomics.add(this.#words, isForRing ? STATUS_RING_WAITS : STATUS_MEMORY_WAITS, 1);
  }

  listStarted(reason: ListReason): void {
    if (reason === ListReason.page || reason === ListReason.again) return;
    Atomics.add(this.#words, STATUS_LISTS, 1);
    if (reason === ListReason.relist) Atomics.add(this.#words, STATUS_RELISTS, 1);
  }

  watchStarted(isRewatch: boolean): void {
    Atomics.add(this.#words, STATUS_WATCHES, 1);
    if (isRewatch) Atomics.add(this.#words, STATUS_REWATCHES, 1);
  }

  fellBack(): void {
    Atomics.add(this.#words, STATUS_FALLBACKS, 1);
  }

  backingOff(untilMs: number): void {
    this.#setTime(STATUS_BACKOFF_UNTIL_MS, untilMs);
  }

  synced(): void {
    Atomics.add(this.#words, STATUS_SYNCS, 1);
  }

  transformFailed(): void {
    Atomics.add(this.#words, STATUS_TRANSFORM_ERRORS, 1);
  }

  indexFailed(): void {
    Atomics.add(this.#words, STATUS_INDEX_ERRORS, 1);
  }

  bodyFellBack(): void {
    Atomics.add(this.#words, STATUS_BODY_FALLBACKS, 1);
  }

  #setTime(word: number, timeMs: number): void {
    Atomics.store(this.#words, word, Math.max(1, Math.round(timeMs - this.#epochMs)) | 0);
  }
}
