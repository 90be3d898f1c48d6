/** Keeps its own books of the blocks of all arenas, and compares them with what the product says. */
import { Arena, type BlockRef, fromOffset8, SEGMENT_INDEX_BITS, toOffset8 } from '../../src/store/index.ts';
import type { WorkerLink } from '../../src/worker/index.ts';

interface Block {
  readonly worker: number;
  readonly stamp: number;
  readonly bytes: number;
  /** Only allocated to see whether there is room. */
  readonly isTrial: boolean;
  /** The home thread gave it back; its worker did not take it yet. */
  isReturning: boolean;
}

export class Accounts {
  /** Blocks that were allocated and not freed, by segment and offset. */
  readonly #blocks = new Map<string, Block>();
  readonly #arenas: { readonly worker: number; readonly arena: Arena }[] = [];
  readonly #lost = new Set<number>();

  makeArena(options: ConstructorParameters<typeof Arena>[0]): Arena {
    const arena = new AccountedArena(options, this.#blocks);
    this.#arenas.push({ worker: options.worker, arena });
    return arena;
  }

  /** Sees what the home thread gives back. */
  watch(link: WorkerLink): void {
    const release = link.release.bind(link);
    link.release = (segment, offset8) => {
      this.#released(segment, offset8, link.worker);
      release(segment, offset8);
    };
  }

  /** A worker is gone, and with it what it allocated without handing it over. */
  lost(worker: number): void {
    this.#lost.add(worker);
  }

  get hasLost(): boolean {
    return this.#lost.size > 0;
  }

  isLost(segment: number): boolean {
    return this.#lost.has(segment >>> SEGMENT_INDEX_BITS);
  }

  /** Throws unless the block is in use: neither freed nor given back. */
  assertLive(ref: BlockRef, what: string): void {
    const block = this.#blocks.get(placeName(ref.segment, ref.offset8));
    if (block === undefined) throw new Error(`${what} lies in a block that was freed`);
    if (block.isReturning) throw new Error(`${what} lies in a block that was given back`);
    if (block.stamp !== ref.stamp) throw new Error(`${what} lies in a block that was used again`);
  }

  /** Bytes of blocks of workers that live which are neither free nor on their way back: on a ring, or at home. */
  get bytesInUse(): number {
    let sum = 0;
    for (const block of this.#blocks.values()) {
      if (!block.isReturning && !this.#lost.has(block.worker)) sum += block.bytes;
    }
    return sum;
  }

  /** Throws unless each arena counts the blocks that it has given out. */
  assertArenas(): void {
    for (const { worker, arena } of this.#arenas) {
      if (this.#lost.has(worker)) continue;
      let count = 0;
      for (const block of this.#blocks.values()) if (block.worker === worker) count++;
      const { blocks, usedBytes, segmentBytes } = arena.stats;
      if (blocks !== count) throw new Error(`arena ${worker} says ${blocks} blocks, and gave out ${count}`);
      if (usedBytes > segmentBytes) throw new Error(`arena ${worker} uses more than it has`);
      if (count === 0 && usedBytes !== 0)
        throw new Error(`arena ${worker} counts ${usedBytes} bytes too many`);
    }
  }

  #released(segment: number, offset8: number, worker: number): void {
    const name = placeName(segment, offset8);
    const block = this.#blocks.get(name);
    if (block === undefined || block.isReturning) throw new Error(`block ${name} was given back twice`);
    if (this.#lost.has(worker)) this.#blocks.delete(name);
    else block.isReturning = true;
  }
}

class AccountedArena extends Arena {
  readonly #blocks: Map<string, Block>;
  readonly #worker: number;

  constructor(options: ConstructorParameters<typeof Arena>[0], blocks: Map<string, Block>) {
    super(options);
    this.#blocks = blocks;
    this.#worker = options.worker;
  }

  override allocate(...args: Parameters<Arena['allocate']>): boolean {
    if (!super.allocate(...args)) return false;
    const name = placeName(this.segment!.id, toOffset8(this.offset));
    if (this.#blocks.has(name)) throw new Error(`block ${name} was given out twice`);
    const { stamp } = this;
    const [bytes, source] = args;
    const isTrial = source === TRIAL;
    this.#blocks.set(name, { worker: this.#worker, stamp, bytes, isTrial, isReturning: false });
    return true;
  }

  override free(id: number, offset: number): void {
    super.free(id, offset);
    const name = placeName(id, toOffset8(offset));
    const block = this.#blocks.get(name);
    if (block?.isReturning === false && !block.isTrial) throw new Error(`block ${name} was freed too early`);
    this.#blocks.delete(name);
  }
}

/** Source of allocations that only see whether there is room. */
const TRIAL = 0;

function placeName(segment: number, offset8: number): string {
  return `${segment} @ ${fromOffset8(offset8)}`;
}
