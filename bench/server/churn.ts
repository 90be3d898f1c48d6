/** Makes changes and tells them to the watches, as fast as these read or at a rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/testing/random.ts';
import { type Chunk, ChunkPool } from './chunks.ts';
import type { Collection } from './collection.ts';
import { type ChurnMix, type Edit, Edits } from './edits.ts';
import type { KeptObjects } from './kept-objects.ts';

export interface ChurnOrder {
  readonly events: number;
  /** Events a second; missing: as fast as the watches read. */
  readonly rate?: number;
  readonly mix: ChurnMix;
}

/** What happened, and thus what handlers have to be told. */
export interface ChurnResult {
  readonly adds: number;
  readonly updates: number;
  readonly deletes: number;
  readonly lastVersion: number;
  /** From the first write to the last. */
  readonly wallMs: number;
}

/** Thrown when events wait in this process because a watch is not read at the rate. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** At a rate, events that are not read wait here, up to so many bytes. */
const MAX_WAITING_BYTES = 1024 * 1024 * 1024;

/** Events of one resource that are sent before it is the next one's turn. */
const EVENTS_PER_TURN = 64;

/** Timers are not finer. At 10,000 events a second, ten are sent at once. */
const TICK_MS = 1;

interface Target {
  readonly collection: Collection;
  readonly objects: KeptObjects;
  readonly edits: Edits;
}

/** When the event of each resourceVersion was given to the socket, in ms since the Unix epoch. */
export interface SendTimes {
  readonly firstVersion: number;
  readonly epochMs: Float64Array;
}

export class Churn {
  readonly #targets: readonly Target[];
  readonly #pool = new ChunkPool();
  readonly #order: ChurnOrder;
  readonly #firstVersion: number;
  readonly #sentAt: Float64Array;
  #sent = 0;

  /** @param version - the server's last one; each event gets the next */
  constructor(collections: readonly Collection[], order: ChurnOrder, version: number, seed: number) {
    const random = new Random(seed);
    this.#targets = collections.map((collection) => {
      // Whoever makes a churn has asked for objects that can change.
      const objects = collection.objects as KeptObjects;
      return { collection, objects, edits: new Edits(objects, random) };
    });
    this.#order = order;
    this.#firstVersion = version + 1;
    this.#sentAt = new Float64Array(order.events);
  }

  get sendTimes(): SendTimes {
    return { firstVersion: this.#firstVersion, epochMs: this.#sentAt };
  }

  async run(): Promise<ChurnResult> {
    const beginMs = performance.now();
    if (this.#order.rate === undefined) await this.#asFastAsRead();
    else await this.#atRate(this.#order.rate);
    const total = { adds: 0, updates: 0, deletes: 0 };
    for (const { edits } of this.#targets) {
      total.adds += edits.counts.adds;
      total.updates += edits.counts.updates;
      total.deletes += edits.counts.deletes;
    }
    const lastVersion = this.#firstVersion + this.#order.events - 1;
    return { ...total, lastVersion, wallMs: performance.now() - beginMs };
  }

  async #asFastAsRead(): Promise<void> {
    for (let turn = 0; this.#sent < this.#order.events; turn++) {
      const target = this.#targets[turn % this.#targets.length]!;
      this.#send(target, Math.min(EVENTS_PER_TURN, this.#order.events - this.#sent));
      for (const watch of target.collection.watches) await watch.drained();
      // Requests and closed connections are seen between turns only.
      if (turn % TURNS_PER_BREATH === 0) await new Promise(setImmediate);
    }
  }

  /** An open loop: what is due is sent, whether what was sent before has been read or not. */
  async #atRate(rate: number): Promise<void> {
    const beginMs = performance.now();
    for (let turn = 0; this.#sent < this.#order.events; turn++) {
      const dueByNow = Math.floor(((performance.now() - beginMs) / 1000) * rate);
      const due = Math.min(dueByNow, this.#order.events) - this.#sent;
      const target = this.#targets[turn % this.#targets.length]!;
      if (due > 0) this.#send(target, due);
      for (const { waitingBytes } of target.collection.watches) {
        if (waitingBytes > MAX_WAITING_BYTES) {
          throw new TooSlowError(`after ${this.#sent} events at ${rate}/s, 1 GiB of them were not read`);
        }
      }
      await sleep(TICK_MS);
    }
  }

  #send(target: Target, count: number): void {
    let left = count;
    while (left > 0) {
      const first = this.#draw(target);
      const bytes = target.objects.eventBytes(first.type, first.object);
      const chunk = this.#pool.take(bytes);
      left -= this.#fill(chunk, target, first, left);
      target.collection.forget();
      // Held while it is handed to several sockets, each of which may be through at once.
      chunk.hold();
      for (const watch of target.collection.watches) watch.sendChunk(chunk);
      chunk.release();
    }
  }

  /** @returns how many events there are in the chunk now */
  #fill(chunk: Chunk, target: Target, first: Edit, limit: number): number {
    const nowMs = performance.timeOrigin + performance.now();
    let count = 0;
    for (let edit: Edit | undefined = first; edit !== undefined; ) {
      const version = this.#firstVersion + this.#sent;
      target.edits.apply(edit, version);
      chunk.used = target.objects.writeEvent(edit.type, edit.object, chunk.memory, chunk.used);
      this.#sentAt[this.#sent++] = nowMs;
      count++;
      if (count === limit) break;
      edit = this.#drawFitting(chunk, target);
    }
    return count;
  }

  /** The last event is always an update: a state that handlers can wait for. */
  #draw({ edits }: Target): Edit {
    const isLast = this.#sent === this.#order.events - 1;
    return edits.draw(isLast ? 'updates' : this.#order.mix);
  }

  /** The next edit if its event still fits into the chunk. What is drawn and does not fit is drawn anew. */
  #drawFitting(chunk: Chunk, target: Target): Edit | undefined {
    const edit = this.#draw(target);
    return chunk.hasRoomFor(target.objects.eventBytes(edit.type, edit.object)) ? edit : undefined;
  }
}

const TURNS_PER_BREATH = 8;
