import { Backoff } from './backoff.ts';
import type { Failure } from './failure.ts';
import {
  MAX_FRUITLESS_WATCHES,
  MIN_PROMPT_RELIST_INTERVAL_MS,
  MIN_WATCH_INTERVAL_MS,
  SLOW_RETRY_MS,
  STEADY_WATCH_MS,
} from './limits.ts';

/** What comes after a list or a watch that ended, and when. */
export interface Retry {
  readonly target: 'list' | 'watch';
  readonly waitMs: number;
}

/** How a watch ended. */
export interface WatchEnd {
  /** undefined when the server ended it cleanly. */
  readonly failure: Failure | undefined;
  /** Events and bookmarks that it brought. */
  readonly events: number;
  /** How long it was open, in milliseconds; 0 when it never was. */
  readonly openMs: number;
  readonly nowMs: number;
}

/**
 * When to try again, and what.
 *
 * Delays grow with each failure and are forgotten only after a good watch: one that brought an event or a bookmark,
 * or that was open for {@link STEADY_WATCH_MS}. A connect or a list proves nothing, for a server may answer every list
 * and refuse every watch. The time a watch was open counts as waited, so a proxy that cuts watches every
 * 30 s costs nothing, and a server that cuts them at once is not stormed.
 */
export class RetryPolicy {
  readonly #backoff: Backoff;
  readonly #random: () => number;
  /** Watches in a row that the server answered without bringing anything. */
  #fruitless = 0;
  #promptRelistMs = Number.NEGATIVE_INFINITY;

  constructor(random: () => number) {
    this.#random = random;
    this.#backoff = new Backoff(random);
  }

  afterList(failure: Failure): Retry {
    return { target: 'list', waitMs: this.#atLeast(failure, this.#delayMs(failure)) };
  }

  /** A list was completed: watches start anew from it. */
  listed(): void {
    this.#fruitless = 0;
  }

  afterWatch(end: WatchEnd): Retry {
    const isGood = end.events > 0 || end.openMs >= STEADY_WATCH_MS;
    if (this.#mustRelist(end)) return { target: 'list', waitMs: this.#relistWaitMs(end, isGood) };
    return { target: 'watch', waitMs: this.#atLeast(end.failure, this.#rewatchWaitMs(end, isGood)) };
  }

  #mustRelist({ failure, events }: WatchEnd): boolean {
    if (events > 0) this.#fruitless = 0;
    switch (failure?.kind) {
      case 'expired':
      case 'tooLarge':
      case 'corrupt':
      case 'denied':
      case 'rejected':
        return true;
      case 'faulty':
        if (events === 0) this.#fruitless++;
        return this.#fruitless >= MAX_FRUITLESS_WATCHES;
      default:
        return false;
    }
  }

  #relistWaitMs({ failure, openMs, nowMs }: WatchEnd, isGood: boolean): number {
    // Only time proves this kind of watch good: one event before each 410 must not mean a list per event.
    if (openMs >= STEADY_WATCH_MS) this.#backoff.reset();
    const isPrompt =
      isGood && failure?.kind !== 'denied' && nowMs - this.#promptRelistMs >= MIN_PROMPT_RELIST_INTERVAL_MS;
    if (!isPrompt) return this.#atLeast(failure, this.#delayMs(failure));
    this.#promptRelistMs = nowMs;
    return this.#atLeast(failure, 0);
  }

  #rewatchWaitMs({ failure, openMs }: WatchEnd, isGood: boolean): number {
    if (isGood) this.#backoff.reset();
    const askedToSlowDown = failure?.kind === 'throttled';
    if (isGood && !askedToSlowDown) return Math.max(0, MIN_WATCH_INTERVAL_MS - openMs);
    return this.#backoff.next(askedToSlowDown ? 0 : openMs);
  }

  #delayMs(failure: Failure | undefined): number {
    if (failure?.kind === 'denied') return Math.floor(SLOW_RETRY_MS * (1 + this.#random() / 2));
    return this.#backoff.next();
  }

  /** What the server asks for is the least; a little on top, so that not all who were asked come back at once. */
  #atLeast(failure: Failure | undefined, waitMs: number): number {
    const askedMs = failure?.retryAfterMs ?? 0;
    return Math.max(waitMs, Math.floor(askedMs * (1 + this.#random() / 8)));
  }
}
