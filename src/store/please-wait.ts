/** The home thread's courtesy to readers on other threads that came too late too often. */
import { SHARD_PLEASE_WAIT_WORD } from '../layout/shard.ts';

/** A reader that is running needs some microseconds; one that is not must not hold up the home thread. */
const COURTESY_MS = 2;

/** Waits until a reader got through, for a moment at most. */
export function letReadersThrough(control: Int32Array): void {
  Atomics.wait(control, SHARD_PLEASE_WAIT_WORD, 1, COURTESY_MS);
  // Whoever asked and is not through by now asks again; one that died does not.
  Atomics.store(control, SHARD_PLEASE_WAIT_WORD, 0);
}
