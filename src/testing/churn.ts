import type { Collection } from './collection.ts';
import { encodeObject } from './encode.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { editMetadata, editStatus } from './pod-edit.ts';
import { Random } from './random.ts';
import type { ResourceName } from './resources.ts';
import type { Store } from './store.ts';
import { parseObjectExact, type StoredObject, withTail } from './stored-object.ts';

/** What kinds of writes a churn makes, as weights. */
export interface ChurnMix {
  create?: number;
  update?: number;
  delete?: number;
}

/** Options of a churn: a steady stream of writes, as a busy cluster makes them. */
export interface ChurnOptions {
  /** Default `pods`. */
  resource?: ResourceName;
  /** Writes per second. `Infinity` for as fast as the server can. */
  rate: number;
  /** Ends after so many seconds. */
  seconds?: number;
  /** Ends after so many writes. One of `seconds` and `count` must be given. */
  count?: number;
  /** Default: updates only. */
  mix?: ChurnMix;
  /** Default: drawn from the server's seed. */
  seed?: number;
  /** Only in this process: ends the churn early, and it resolves with what was done. */
  signal?: AbortSignal;
}

/** What a churn did. */
export interface ChurnResult {
  created: number;
  updated: number;
  deleted: number;
  /** How long it took. */
  seconds: number;
  /** The server's resourceVersion after the last write. */
  resourceVersion: string;
}

/** How the churn makes new objects; Pods come from the Pod generator. */
export type MakeObject = (random: Random) => StoredObject;

/** The event loop must go on turning when a churn is late, else watches would starve: most writes per tick. */
const MAX_PER_TICK = 500;

/** Waking up costs more than the writes themselves: at 1 ms, twice as much CPU as at 2 ms. */
const TICK_MS = 2;

/** One update of a Pod in so many changes an annotation or label; the others change the status. */
const METADATA_ONE_IN = 32;

/** Runs a churn to its end. */
export async function churn(store: Store, make: MakeObject, options: ChurnOptions): Promise<ChurnResult> {
  const { rate, seconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, signal } = options;
  if (!(rate > 0) || (seconds === Number.POSITIVE_INFINITY && count === Number.POSITIVE_INFINITY)) {
    throw new RangeError('a churn needs a rate above 0, and "seconds" or "count", so that it ends');
  }
  const writer = new ChurnWriter(store, make, options);
  const total = Math.min(count, Math.round(rate * seconds));
  const startedAt = performance.now();
  let done = 0;
  while (done < total && signal?.aborted !== true) {
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    if (elapsedSeconds > seconds && rate === Number.POSITIVE_INFINITY) break;
    const due = Math.min(total, Math.ceil(elapsedSeconds * rate) || 1);
    const end = Math.min(due, done + MAX_PER_TICK);
    for (; done < end; done++) writer.writeOne();
    await nextTick(done < due);
  }
  const took = (performance.now() - startedAt) / 1000;
  return { ...writer.counts, seconds: took, resourceVersion: String(store.resourceVersion) };
}

function nextTick(isLate: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isLate) setImmediate(resolve);
    else setTimeout(resolve, TICK_MS);
  });
}

class ChurnWriter {
  readonly counts = { created: 0, updated: 0, deleted: 0 };
  readonly #store: Store;
  readonly #collection: Collection;
  readonly #make: MakeObject;
  readonly #random: Random;
  readonly #weights: Required<ChurnMix>;
  /** Keys to choose from. Some may be gone, when others write too: they are dropped when met. */
  readonly #keys: string[];
  readonly #isPods: boolean;

  constructor(store: Store, make: MakeObject, options: ChurnOptions) {
    this.#store = store;
    this.#collection = store.named(options.resource ?? 'pods');
    this.#make = make;
    this.#random = new Random(options.seed ?? store.random.uint32());
    const mix = options.mix ?? { update: 1 };
    this.#weights = { create: mix.create ?? 0, update: mix.update ?? 0, delete: mix.delete ?? 0 };
    this.#keys = [...this.#collection.keys()];
    const { group, resource } = this.#collection.resource;
    this.#isPods = group === '' && resource === 'pods';
  }

  writeOne(): void {
    const { create, update, delete: remove } = this.#weights;
    const draw = this.#random.fraction() * (create + update + remove);
    if (draw < create) {
      this.#create();
      return;
    }
    const index = this.#pickLive();
    // With nothing left to change, only a create is possible.
    if (index === -1) this.#create();
    else if (draw < create + update) this.#update(index);
    else this.#delete(index);
  }

  #create(): void {
    const object = this.#make(this.#random);
    if (this.#collection.get(object.key) === undefined) this.#keys.push(object.key);
    this.#store.put(this.#collection, object);
    this.counts.created++;
  }

  #update(index: number): void {
    const before = this.#collection.get(this.#keys[index]!)!;
    const after = (this.#isPods ? this.#editPod(before) : undefined) ?? this.#annotate(before);
    this.#store.put(this.#collection, after);
    this.counts.updated++;
  }

  #delete(index: number): void {
    this.#store.remove(this.#collection, this.#collection.get(this.#keys[index]!)!);
    this.#drop(index);
    this.counts.deleted++;
  }

  #editPod(before: StoredObject): StoredObject | undefined {
    const resourceVersion = this.#store.nextResourceVersion;
    if (this.#random.below(METADATA_ONE_IN) !== 0) {
      const tail = editStatus(before, this.#random, this.#store.timestamp());
      if (tail !== undefined) return withTail(before, resourceVersion, tail);
    }
    return editMetadata(before, resourceVersion, this.#random);
  }

  /** A change that every kind of object can take. */
  #annotate(before: StoredObject): StoredObject {
    const resource = this.#collection.resource;
    const object = parseObjectExact(before, resource);
    const metadata = object.metadata as JsonObject;
    const field = this.#random.below(2) === 0 ? 'labels' : 'annotations';
    const old = isJsonObject(metadata[field]) ? metadata[field] : {};
    metadata[field] = { ...old, 'churn.example.com/round': this.#random.hex(8) };
    return encodeObject(resource, object, this.#store.nextResourceVersion);
  }

  #pickLive(): number {
    while (this.#keys.length > 0) {
      const index = this.#random.below(this.#keys.length);
      if (this.#collection.get(this.#keys[index]!) !== undefined) return index;
      this.#drop(index);
    }
    return -1;
  }

  /** Order does not matter here, so the last key takes the place. */
  #drop(index: number): void {
    const last = this.#keys.pop()!;
    if (index < this.#keys.length) this.#keys[index] = last;
  }
}
