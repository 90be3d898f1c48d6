/**
 * The reader's half of a version window (see layout/shard.ts): wait for an even version, copy out, check that the
 * version is the same. Free functions on the control words, so that nothing is allocated for a read.
 */
import { fence } from '../fence.ts';
import { StoreStalledError } from './errors.ts';

/** A window of the writer takes a microsecond, so a reader that meets one soon sees its end. */
const SPINS = 200;

/** A writer that lost its core in the middle of a window: sleep instead of spinning. */
const NAP_MS = 1;

/** After so many tries in vain the writer is asked to wait. */
export const PATIENT_TRIES = 16;

/** How long a reader waits for the end of a window: far longer than any thread is without a core. */
const STALL_MS = 10_000;

/** Waits until nobody writes, and returns the version of what is there now. */
export function beginRead(control: Int32Array, versionWord: number): number {
  for (let spins = 0; ; spins++) {
    const version = Atomics.load(control, versionWord);
    if ((version & 1) === 0) return version;
    if (spins < SPINS) continue;
    if ((spins - SPINS) * NAP_MS > STALL_MS) throw new StoreStalledError('end a change', STALL_MS);
    // Nobody wakes this thread: the writer has no time for it.
    Atomics.wait(control, versionWord, version, NAP_MS);
  }
}

/** Whether all that was read since `beginRead` belongs together. */
export function isUnchanged(control: Int32Array, versionWord: number, version: number): boolean {
  fence();
  return Atomics.load(control, versionWord) === version;
}
