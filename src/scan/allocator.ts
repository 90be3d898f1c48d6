/** Places for programs in a fixed region: first fit, neighbours that are free are joined. */
export class RegionAllocator {
  readonly #alignBytes: number;
  /** Free pieces by address, no two of them touching. */
  #free: { address: number; bytes: number }[];

  constructor(address: number, bytes: number, alignBytes: number) {
    this.#alignBytes = alignBytes;
    this.#free = [{ address, bytes }];
  }

  /** Address of a free piece, or 0 when there is none that large. */
  claim(bytes: number): number {
    const size = this.#align(bytes);
    const piece = this.#free.find((free) => free.bytes >= size);
    if (piece === undefined) return 0;
    const { address } = piece;
    piece.address += size;
    piece.bytes -= size;
    return address;
  }

  /** Gives back what {@link claim} gave for the same number of bytes. */
  release(address: number, bytes: number): void {
    const pieces = [...this.#free, { address, bytes: this.#align(bytes) }].filter((piece) => piece.bytes > 0);
    pieces.sort((a, b) => a.address - b.address);
    this.#free = [];
    for (const piece of pieces) {
      const before = this.#free.at(-1);
      if (before !== undefined && before.address + before.bytes === piece.address)
        before.bytes += piece.bytes;
      else this.#free.push(piece);
    }
  }

  #align(bytes: number): number {
    return (bytes + this.#alignBytes - 1) & -this.#alignBytes;
  }
}
