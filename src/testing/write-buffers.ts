/** Memory for bodies on their way to a socket, used again and again. */

/** A chunk holds several batches of a quiet watch, or three of a busy one. */
const CHUNK_BYTES = 1024 * 1024;

/** Chunks kept for later: as many as some clients that read at different speeds keep busy. */
const MAX_FREE_CHUNKS = 16;

interface Chunk {
  readonly memory: Buffer;
  used: number;
  holders: number;
}

/** A piece of a chunk that nobody overwrites until all who hold it have released it. */
export class Lease {
  readonly bytes: Buffer;
  readonly #chunk: Chunk | undefined;
  readonly #pool: WriteBuffers;

  constructor(bytes: Buffer, chunk: Chunk | undefined, pool: WriteBuffers) {
    this.bytes = bytes;
    this.#chunk = chunk;
    this.#pool = pool;
  }

  retain(): void {
    if (this.#chunk !== undefined) this.#chunk.holders++;
  }

  release(): void {
    if (this.#chunk !== undefined) this.#pool.giveBack(this.#chunk);
  }
}

/**
 * Hands out memory for writes. Fresh buffers for each write would make the garbage collector run all the time
 * on account of memory outside of the heap, and mark every stored object each time: at 5,000 events a second
 * that costs several times more than the events.
 */
export class WriteBuffers {
  readonly #free: Chunk[] = [];
  #current: Chunk | undefined;

  /** @param bytes - how much; the lease is held once */
  take(bytes: number): Lease {
    if (bytes > CHUNK_BYTES) return new Lease(Buffer.allocUnsafeSlow(bytes), undefined, this);
    let chunk = this.#current;
    if (chunk === undefined || chunk.used + bytes > CHUNK_BYTES) chunk = this.#next();
    const begin = chunk.used;
    chunk.used += bytes;
    chunk.holders++;
    return new Lease(chunk.memory.subarray(begin, chunk.used), chunk, this);
  }

  /** @internal */
  giveBack(chunk: Chunk): void {
    chunk.holders--;
    if (chunk.holders > 0) return;
    chunk.used = 0;
    const isKept = chunk !== this.#current && this.#free.length < MAX_FREE_CHUNKS;
    if (isKept) this.#free.push(chunk);
  }

  #next(): Chunk {
    const fresh = this.#free.pop() ?? { memory: Buffer.allocUnsafeSlow(CHUNK_BYTES), used: 0, holders: 0 };
    // The chunk before comes back when its last holder releases it; if nobody held it, it would be current still.
    this.#current = fresh;
    return fresh;
  }
}

/** For all servers of this thread. */
export const writeBuffers = new WriteBuffers();
