/** Memory for events on their way to a socket, used again and again: fresh memory costs a page fault every 4 KB. */

/** Some thirty Pods: large enough that a write costs little per event. */
const CHUNK_BYTES = 512 * 1024;

export class Chunk {
  readonly memory: Buffer;
  used = 0;
  #writers = 0;
  readonly #pool: Chunk[];

  constructor(bytes: number, pool: Chunk[]) {
    this.memory = Buffer.allocUnsafeSlow(bytes);
    this.#pool = pool;
  }

  hasRoomFor(bytes: number): boolean {
    return this.used + bytes <= this.memory.length;
  }

  hold(): void {
    this.#writers++;
  }

  /** Goes back to the pool when the last writer is through. */
  release(): void {
    if (--this.#writers > 0) return;
    this.used = 0;
    if (this.memory.length === CHUNK_BYTES) this.#pool.push(this);
  }
}

export class ChunkPool {
  readonly #free: Chunk[] = [];

  /** An empty chunk with room for at least so many bytes. */
  take(bytes: number): Chunk {
    if (bytes > CHUNK_BYTES) return new Chunk(bytes, this.#free);
    return this.#free.pop() ?? new Chunk(CHUNK_BYTES, this.#free);
  }
}
