/**
 * Shares the ring of a worker among its reflectors, so that a flooded one starves no other: each may always
 * have a fair share of records waiting, and may have more as long as the unused shares of the others stay
 * free.
 */

/** The share of blocks that are moved, beside those of reflectors, which are numbered from 1. */
export const MOVES = 0;

/** Part of the ring that is kept for shares; the rest goes to whoever has much to say. */
const SHARED_PART = 1 / 4;

interface Share {
  /** Records on the ring that the home thread did not give back. */
  waiting: number;
  /** Records that were put so far. */
  puts: number;
}

export class RingShares {
  readonly #capacity: number;
  readonly #shares = new Map<number, Share>();
  #fairShare = 0;
  /** Records that must stay free for those who have less than their share. */
  #reserved = 0;

  /** @param capacity - of the ring, in records */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(source: number): void {
    this.#shares.set(source, { waiting: 0, puts: 0 });
    this.#recount();
  }

  /** Records of it may still come back; they don't count any more. */
  remove(source: number): void {
    this.#shares.delete(source);
    this.#recount();
  }

  /** @param free - records of the ring that are free now */
  mayPut(source: number, free: number): boolean {
    if (free <= 0) return false;
    const share = this.#shares.get(source);
    if (share !== undefined && share.waiting < this.#fairShare) return true;
    return free > this.#reserved;
  }

  /** Whether this source has less than its share on the ring. Nobody else waits for what it puts then. */
  isBelowShare(source: number, free: number): boolean {
    const share = this.#shares.get(source);
    return free > 0 && share !== undefined && share.waiting < this.#fairShare;
  }

  /** Records of this source that the home thread did not give back. */
  waitingOf(source: number): number {
    return this.#shares.get(source)?.waiting ?? 0;
  }

  /** Records of this source that were put since it was added. */
  putsOf(source: number): number {
    return this.#shares.get(source)?.puts ?? 0;
  }

  /** A record of this source was put. */
  put(source: number): void {
    const share = this.#shares.get(source);
    if (share === undefined) return;
    if (share.waiting < this.#fairShare) this.#reserved--;
    share.waiting++;
    share.puts++;
  }

  /** A record of this source was given back. */
  givenBack(source: number): void {
    const share = this.#shares.get(source);
    // Records of a source that was stopped and started again may be older than its share.
    if (share === undefined || share.waiting === 0) return;
    share.waiting--;
    if (share.waiting < this.#fairShare) this.#reserved++;
  }

  #recount(): void {
    const count = Math.max(1, this.#shares.size);
    this.#fairShare = Math.max(1, Math.floor((this.#capacity * SHARED_PART) / count));
    this.#reserved = 0;
    for (const { waiting } of this.#shares.values()) this.#reserved += Math.max(0, this.#fairShare - waiting);
  }
}
