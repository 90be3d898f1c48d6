import type { Failure } from './failure.ts';
import { MAX_UNFINISHED_STREAMS, STREAM_RETRY_MS } from './limits.ts';
import type { InitialList } from './options.ts';
import type { Clock } from './types.ts';

/** What comes after a stream of initial events that failed. */
export interface AfterStream {
  /** With a delay unless this. */
  readonly isAtOnce: boolean;
  /** The next one is a list. */
  readonly fallsBack: boolean;
}

/** How a stream of initial events failed. */
export interface StreamEnd {
  readonly failure: Failure;
  /** There was no connection, so it says nothing about streams. */
  readonly isOutage: boolean;
  /** The request named a resourceVersion. */
  readonly namedVersion: boolean;
}

const AT_ONCE: AfterStream = { isAtOnce: true, fallsBack: false };
const LATER: AfterStream = { isAtOnce: false, fallsBack: false };

/**
 * Whether to list or to stream initial events.
 *
 * | failure of a stream | what is done |
 * |---|---|
 * | expired or too large version | at once at the latest state; when that is refused too, list |
 * | 429, 408, 401 | stream again, with a delay: a list would be refused too |
 * | no connection | the same, but a list every now and then: perhaps only streams are cut |
 * | ended before its marker, 5xx, unreadable | the same; after some in a row list, and remember |
 * | no marker in time, any other error | list at once, and remember |
 *
 * What is remembered holds for hours: the server would have to be upgraded to learn it.
 */
export class InitialListPolicy {
  readonly #mode: InitialList;
  readonly #clock: Clock;
  #noStreamUntilMs = Number.NEGATIVE_INFINITY;
  #listsOnce = false;
  #unfinished = 0;

  constructor(mode: InitialList, clock: Clock) {
    this.#mode = mode;
    this.#clock = clock;
  }

  /** Decides about the next one. `isFirst` until something was synced. */
  next(isFirst: boolean): 'list' | 'stream' {
    const listsOnce = this.#listsOnce;
    this.#listsOnce = false;
    if (listsOnce || this.#mode === 'list' || (this.#mode === 'auto' && isFirst)) return 'list';
    return this.#clock.now() < this.#noStreamUntilMs ? 'list' : 'stream';
  }

  afterFailure({ failure, isOutage, namedVersion }: StreamEnd): AfterStream {
    switch (failure.kind) {
      case 'expired':
      case 'tooLarge':
        return namedVersion ? AT_ONCE : this.#remember(true);
      case 'throttled':
      case 'unauthorized':
        return LATER;
      case 'unavailable':
      case 'faulty':
        return this.#afterUnfinished(isOutage);
      default:
        return this.#remember(true);
    }
  }

  succeeded(): void {
    this.#unfinished = 0;
  }

  #afterUnfinished(isOutage: boolean): AfterStream {
    this.#unfinished++;
    if (this.#unfinished < MAX_UNFINISHED_STREAMS) return LATER;
    if (!isOutage) return this.#remember(false);
    this.#unfinished = 0;
    this.#listsOnce = true;
    return { isAtOnce: false, fallsBack: true };
  }

  #remember(isAtOnce: boolean): AfterStream {
    this.#unfinished = 0;
    this.#noStreamUntilMs = this.#clock.now() + STREAM_RETRY_MS;
    return { isAtOnce, fallsBack: true };
  }
}
