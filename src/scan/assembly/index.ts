/**
 * The scanner's WASM module. All it reads and writes lies in regions that its caller names: the bytes, a
 * program, and the result region (see layout/scan.ts). Up to 79 bytes behind the given end may be read, and
 * are never taken for content.
 */
import { SCAN_COMPLETE, SCAN_INCOMPLETE, SCAN_MALFORMED, SCAN_STOP } from '../../layout/scan';
import { hashKey } from './hash';
import { closeResult, openResult, putWord } from './result';
import { skipSpace, valueEnd } from './skip';
import { clearState, fail, failedAt } from './state';
import { stringEnd } from './strings';
import { walkValue } from './walk';

export { followNest, lineEnd } from './resume';

/** Scans the value at `p` with the program node `root`, and fills the result region. */
export function scan(region: usize, root: usize, p: usize, end: usize, seedLo: u32, seedHi: u32): i32 {
  clearState();
  openResult(region);
  const stop = walkValue(root, p, end);
  closeResult();
  putWord(SCAN_STOP, stop != 0 ? stop : failedAt);
  if (stop == 0) return failedAt >= end ? SCAN_INCOMPLETE : SCAN_MALFORMED;
  hashKey(seedLo, seedHi);
  return SCAN_COMPLETE;
}

/** The byte behind the value at `p`, or 0: then see `failure`. */
export function skipValue(p: usize, end: usize): usize {
  return p < end ? valueEnd(p, end) : fail(end);
}

/** The quote that closes the string that the quote at `p` opens, or 0: then see `failure`. */
export function skipString(p: usize, end: usize): usize {
  return p + 1 < end ? stringEnd(p + 1, end) : fail(end);
}

/** The next byte that is not white space, or `end`. */
export function skipSpaces(p: usize, end: usize): usize {
  return p < end ? skipSpace(p, end) : end;
}

/** Where the last function that returned 0 stopped: at a wrong byte, or at or behind the end. */
export function failure(): usize {
  return failedAt;
}
