/**
 * What one running scan knows besides its position. These are WASM globals, so each instance has its own;
 * nothing of it lies in memory. Functions that advance return the next address, or 0 after `fail`.
 */

/** The byte that could not be accepted. At or behind the end of the bytes it means: more are needed. */
export let failedAt: usize = 0;
/** Not 0 when a byte above 0x7f was seen. */
export let nonAscii: u64 = 0;
/** Not 0 when the string that `stringEnd` passed last holds a backslash. */
export let escapes: u64 = 0;

// @ts-ignore: decorator
@inline
export function fail(at: usize): usize {
  failedAt = at;
  return 0;
}

export function clearState(): void {
  failedAt = 0;
  nonAscii = 0;
}

// @ts-ignore: decorator
@inline
export function noteNonAscii(bits: u64): void {
  nonAscii |= bits;
}

// @ts-ignore: decorator
@inline
export function noteEscapes(bits: u64): void {
  escapes = bits;
}
