import { CONTACT_INTERVAL_MS } from './limits.ts';

/** Why a list is asked for. Numbers, so that they can be counted in shared memory. */
export const ListReason = {
  /** Nothing was synced yet. */
  first: 0,
  /** The cache is there, but the watch can't go on. */
  relist: 1,
  /** The next page of the same list. */
  page: 2,
  /** The same list at once in another way: with a quorum, as a whole, or with new credentials. */
  again: 3,
} as const;

export type ListReason = (typeof ListReason)[keyof typeof ListReason];

/**
 * Follows a Reflector by numbers, for health and metrics. Its methods are called from within the reflector: they must
 * be quick, and must neither throw nor call the reflector. Times are those of the reflector's clock.
 */
export interface ReflectorObserver {
  /** Something came from the server, at `nowMs`. At most once per {@link CONTACT_INTERVAL_MS}. */
  contact(nowMs: number): void;
  /** So many bytes of a list or watch came, decompressed. For each chunk. */
  received(bytes: number): void;
  /** A list, or a stream of initial events in its place, is asked for. */
  listStarted(reason: ListReason): void;
  /** A watch begins; `isRewatch` when it goes on where another one ended, not where a list did. */
  watchStarted(isRewatch: boolean): void;
  /** A stream of initial events did not work: a list is used instead. */
  fellBack(): void;
  /** Nothing is done until `untilMs`. */
  backingOff(untilMs: number): void;
  /** A list is complete. */
  synced(): void;
}

/** Tells an observer of contact, but not of each chunk: a busy watch brings thousands in a second. */
export function contactThrottle(
  observer: ReflectorObserver | undefined,
): ((nowMs: number) => void) | undefined {
  if (observer === undefined) return undefined;
  let toldMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs - toldMs < CONTACT_INTERVAL_MS) return;
    toldMs = nowMs;
    observer.contact(nowMs);
  };
}
