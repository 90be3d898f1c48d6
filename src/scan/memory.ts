/**
 * The map of a worker's WASM memory.
 *
 * ```
 *  0      1 KiB           64 KiB                     1 MiB                                memory's end - 128
 *  ┌──────┬───────────────┬──────────────────────────┬────────────────────────────────────┬─────────┐
 *  │ null │ result region │ programs                 │ window: the bytes that are scanned │ overrun │
 *  └──────┴───────────────┴──────────────────────────┴────────────────────────────────────┴─────────┘
 * ```
 */
import { assertLayout } from '../layout/assert.ts';
import { SCAN_RESULT_WORDS } from '../layout/scan.ts';

export const PAGE_BYTES = 1 << 16;

/** Room for a few socket chunks and the objects that most lists have. */
export const INITIAL_PAGES = 32;
/** Just below 2 GiB, so that every address is a positive 31-bit integer. */
export const MAXIMUM_PAGES = 32767;

/** Nothing lies at 0, so that 0 can mean none. */
export const RESULT_BYTE = 1 << 10;
/** Programs are some hundred bytes to a few kilobytes: room for hundreds of reflectors. */
export const PROGRAMS_BYTE = 1 << 16;
export const PROGRAMS_BYTES = (1 << 20) - PROGRAMS_BYTE;
export const WINDOW_BYTE = 1 << 20;
/** The scanner reads in blocks, and so beyond the last byte of the window. */
export const OVERRUN_BYTES = 128;

assertLayout(
  RESULT_BYTE + SCAN_RESULT_WORDS * 4 <= PROGRAMS_BYTE,
  'the result region ends before the programs',
);
assertLayout(PROGRAMS_BYTE + PROGRAMS_BYTES === WINDOW_BYTE, 'the programs end where the window begins');
assertLayout(WINDOW_BYTE < INITIAL_PAGES * PAGE_BYTES, 'a new memory has a window');
