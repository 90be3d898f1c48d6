/**
 * What one run of the transcoder knows besides its position. These are WASM globals, so each instance has its own.
 * Functions that advance return the next address, or 0 after `refuse`.
 */
import { RESULT_BYTE, RESULT_REFUSAL, RESULT_SEED } from '../../../layout/record-memory';

/** Which object this is, as 14 bits: strings that only one object has are not put into the dictionary. */
export let objectTag: u32 = 0;
/** Whether strings of this object may be put into the dictionary at all. */
export let mayLearnValues: bool = false;
/** Where a string with escapes is decoded to. */
export let scratch: usize = 0;

export function openState(tag: u32, learnsValues: bool, scratchAt: usize): void {
  objectTag = tag & 0x3fff;
  mayLearnValues = learnsValues;
  scratch = scratchAt;
}

export function refuse(reason: u32): usize {
  store<u32>(<usize>(RESULT_BYTE + (RESULT_REFUSAL << 2)), reason);
  return 0;
}

// @ts-ignore: decorator
@inline
export function hashSeed(): u64 {
  return load<u64>(<usize>(RESULT_BYTE + (RESULT_SEED << 2)));
}
