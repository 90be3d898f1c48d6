/** What tells a block from all others. */
export interface BlockName {
  readonly segment: number;
  readonly offset8: number;
  readonly lengthBytes: number;
  readonly stamp: number;
}

/** Names a block, with its stamp, so that a later use of the same place is noticed. */
export class BlockRef implements BlockName {
  readonly segment: number;
  readonly offset8: number;
  readonly lengthBytes: number;
  readonly stamp: number;
  /** Hash of the object's key. */
  readonly hashLo: number;
  readonly hashHi: number;

  constructor(
    segment: number,
    offset8: number,
    lengthBytes: number,
    stamp: number,
    hashLo: number,
    hashHi: number,
  ) {
    this.segment = segment;
    this.offset8 = offset8;
    this.lengthBytes = lengthBytes;
    this.stamp = stamp;
    this.hashLo = hashLo;
    this.hashHi = hashHi;
  }
}

/** One number for a block's place, for maps: segments are numbered below 2^21, offsets below 2^32. */
export function placeOf(ref: { readonly segment: number; readonly offset8: number }): number {
  return ref.segment * 0x1_0000_0000 + (ref.offset8 >>> 0);
}
