/** Reads a store on any thread, given its handle. Everything is synchronous, and no message is needed for a read. */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { hashBytes, type KeyHash } from '../../layout/key-hash.ts';
import { SLOT_BITS, SLOT_MASK } from '../../layout/shard.ts';
import {
  STORE_ANNOUNCEMENTS_WORD,
  STORE_RV_BYTE,
  STORE_RV_LENGTH_WORD,
  STORE_RV_MAX_BYTES,
  STORE_RV_VERSION_WORD,
} from '../../layout/store.ts';
import { fromOffset8 } from '../arena.ts';
import { blockKey, blockStamp } from '../block.ts';
import type { BlockRef } from '../block-ref.ts';
import type { TypeMeta } from '../bodies.ts';
import { ReleasedObjectError } from '../body-errors.ts';
import { IndexNotReadyError, KeyError } from '../index-errors.ts';
import { type Conditions, conditionOf } from '../matches.ts';
import { UnknownFieldError } from '../named-fields.ts';
import type { CachedObject } from '../object-cache.ts';
import { openSegment, SegmentTable } from '../segments.ts';
import type { ObjectSource, SourcePage, SourcePageOptions } from '../source.ts';
import { WantedKey } from '../wanted-key.ts';
import { DetachedError, StoreStalledError } from './errors.ts';
import {
  type Announcement,
  checkHandle,
  type SegmentMemory,
  type StoreHandle,
  type StoreState,
  type StructureMemory,
} from './handle.ts';
import { NONE } from './shard-memory.ts';
import { ShardReader, UNKNOWN_SEGMENT } from './shard-reader.ts';
import { beginRead, isUnchanged } from './window.ts';

/** How long one look for an announcement sleeps, and after how much of that the home thread counts as stalled. */
const NAP_MS = 10;
const STALL_MS = 10_000;

/** An object that is replaced more often while it is read changes faster than it can be read. */
const MAX_READS = 1000;

export class StoreReader implements ObjectSource {
  /** Memory of objects that this thread knows of. */
  readonly segments = new SegmentTable();
  foundSlot: number = NONE;
  readonly #handle: StoreHandle;
  readonly #control: Int32Array;
  readonly #version: Uint8Array;
  readonly #channel: BroadcastChannel;
  /** Names this reader in the answer to its request. */
  readonly #id = randomUUID();
  readonly #wanted = new WantedKey();
  readonly #hash: KeyHash = { lo: 0, hi: 0 };
  readonly #onState: (state: StoreState) => void;
  #shards: readonly ShardReader[];
  #state: StoreState;
  #announcements: number;
  /** The home thread answered: since then nothing that it announced was missed. */
  #isAnswered = false;
  #isDetached = false;

  /**
   * @param onState - called with what is known at first and whenever it changes
   * @throws StoreHandleError when it is no handle, or one of another version of kubering
   */
  constructor(handle: StoreHandle, onState: (state: StoreState) => void = () => {}) {
    checkHandle(handle);
    this.#handle = handle;
    this.#onState = onState;
    this.#control = new Int32Array(handle.control, 0, STORE_RV_BYTE / 4);
    this.#version = new Uint8Array(handle.control, STORE_RV_BYTE, STORE_RV_MAX_BYTES);
    this.#announcements = Atomics.load(this.#control, STORE_ANNOUNCEMENTS_WORD);
    this.#state = handle.state;
    this.#shards = handle.state.shards.map((memory) => new ShardReader(memory, this.segments));
    this.segments.fetchDictionary = (epoch) => this.#fetchDictionary(epoch);
    this.#addMemory(handle);
    this.#channel = new BroadcastChannel(handle.channel);
    // A thread that reads nothing for a while lets go of memory all the same.
    this.#channel.onmessage = (message) => this.#take((message as unknown as { data: Announcement }).data);
    this.#channel.unref();
    // What was announced between the making of the handle and now comes with the answer.
    this.#channel.postMessage({ type: 'attach', from: this.#id });
    onState(handle.state);
  }

  /** How many objects there are. */
  get size(): number {
    this.#update();
    let size = 0;
    for (const shard of this.#shards) size += shard.live;
    return size;
  }

  /** Up to this version of the resource everything is visible here; '' before the first list. */
  get resourceVersion(): string {
    const control = this.#control;
    for (;;) {
      const version = beginRead(control, STORE_RV_VERSION_WORD);
      const length = Math.min(control[STORE_RV_LENGTH_WORD]!, STORE_RV_MAX_BYTES);
      const text = String.fromCharCode(...this.#version.subarray(0, length));
      if (isUnchanged(control, STORE_RV_VERSION_WORD, version)) return text;
    }
  }

  /** Whether there is an index of this name that has all objects. */
  hasIndex(name: string): boolean {
    return this.#state.indexes.some(([index]) => index === name);
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  get typeMeta(): TypeMeta | undefined {
    return this.#state.typeMeta;
  }

  /**
   * The current block of the object with this key.
   *
   * @throws KeyError when no object can have such a key
   */
  find(key: string): BlockRef | undefined {
    const wanted = this.#wanted;
    if (typeof key !== 'string' || !wanted.set(key)) throw new KeyError(key);
    this.#update();
    hashBytes(wanted.bytes, 0, wanted.length, this.#handle.seed, this.#hash);
    const { lo, hi } = this.#hash;
    for (let waitedMs = 0; ; waitedMs += NAP_MS) {
      const found = this.#shardOf(hi).find(lo | 0, hi | 0, wanted);
      if (found !== UNKNOWN_SEGMENT) return this.#found(found);
      this.#awaitMemory(waitedMs);
    }
  }

  isCurrent(cached: CachedObject): boolean {
    this.#update();
    return this.#shards[cached.slot >>> SLOT_BITS]!.isCurrent(cached.slot & SLOT_MASK, cached);
  }

  /**
   * Reads of a block that was found. When it was replaced meanwhile, reads of the one that its object has now.
   *
   * @param conditions - what the object was found by, and still has to meet
   * @returns undefined when the object has gone, or does not meet the conditions any more
   */
  read<R>(found: BlockRef, conditions: Conditions, read: (ref: BlockRef) => R): R | undefined {
    let ref: BlockRef | undefined = found;
    for (let tries = 0; ref !== undefined; tries++) {
      try {
        return read(ref);
      } catch (error) {
        if (!(error instanceof ReleasedObjectError) || tries === MAX_READS) throw error;
      }
      ref = this.#current(ref, conditions);
    }
    return undefined;
  }

  /**
   * Waits until this thread has the memory of a block that somebody holds for it. It was announced before, unless this
   * reader has just attached.
   *
   * @throws StoreStalledError when that does not come
   */
  awaitBlock(ref: BlockRef): void {
    this.#update();
    for (let waitedMs = 0; !this.#isHere(ref); waitedMs += NAP_MS) this.#awaitMemory(waitedMs);
  }

  /**
   * Index values that objects have to have, for the methods below. Without any: all objects.
   *
   * @throws UnknownFieldError when there is no such index
   * @throws IndexNotReadyError when an index does not have all objects yet
   */
  conditions(values: Readonly<Record<string, string>>): Conditions {
    this.#update();
    const conditions = Object.entries(values).map(([name, value]) =>
      conditionOf(this.#idOf(name), value, this.#handle.seed),
    );
    return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
  }

  /**
   * The objects that meet conditions, shard by shard. With conditions, the objects of one shard are those of one moment;
   * without, each object is current when it is given, and what comes or goes meanwhile may be given or not.
   */
  *#blocks(conditions: Conditions): Generator<readonly BlockRef[], void> {
    if (conditions === undefined) return;
    for (const shard of this.#shards) {
      if (conditions.length > 0) {
        yield shard.matches(conditions);
        continue;
      }
      for (let slot = 0; slot !== NONE; ) {
        const some: BlockRef[] = [];
        const from = slot;
        slot = shard.walk(from, some);
        yield some;
      }
    }
  }

  visit(conditions: Conditions, visit: (ref: BlockRef) => void): void {
    for (const refs of this.#blocks(conditions)) for (const ref of refs) visit(ref);
  }

  *iterate(conditions: Conditions): Generator<BlockRef, void> {
    for (const refs of this.#blocks(conditions)) yield* refs;
  }

  page(conditions: Conditions, { after, limit, isWanted }: SourcePageOptions): SourcePage {
    const found: { key: Buffer; ref: BlockRef }[] = [];
    this.visit(conditions, (ref) => {
      const one = this.read(ref, conditions, (now) => ({ key: this.#keyOf(now), ref: now }));
      if (one !== undefined) found.push(one);
    });
    found.sort((a, b) => a.key.compare(b.key));
    const behind = after === undefined ? undefined : Buffer.from(after);
    const refs: BlockRef[] = [];
    for (const { key, ref } of found) {
      if (behind !== undefined && key.compare(behind) <= 0) continue;
      if (this.read(ref, conditions, isWanted) !== true) continue;
      if (refs.length === limit) return { refs, hasMore: true };
      refs.push(ref);
    }
    return { refs, hasMore: false };
  }

  /** How many objects meet conditions. */
  count(conditions: Conditions): number {
    if (conditions === undefined) return 0;
    if (conditions.length === 0) return this.size;
    this.#update();
    return this.#shards.reduce((sum, shard) => sum + shard.count(conditions), 0);
  }

  /** All values of an index that any object has, in no order. Throws as `conditions`. */
  valuesOf(name: string): string[] {
    this.#update();
    const id = this.#idOf(name);
    const values = new Set<string>();
    for (const shard of this.#shards) shard.valuesOf(id, values);
    return [...values];
  }

  /** Lets go of all memory. Reads throw afterwards. */
  detach(): void {
    if (this.#isDetached) return;
    this.#isDetached = true;
    this.#channel.close();
    this.#shards = [];
    this.segments.clear();
  }

  #found(ref: BlockRef | undefined): BlockRef | undefined {
    if (ref === undefined) return undefined;
    const shardIndex = this.#shardIndexOf(ref.hashHi);
    this.foundSlot = (shardIndex << SLOT_BITS) | this.#shards[shardIndex]!.foundSlot;
    return ref;
  }

  #current(ref: BlockRef, conditions: Conditions): BlockRef | undefined {
    if (conditions === undefined) return undefined;
    this.#update();
    for (let waitedMs = 0; ; waitedMs += NAP_MS) {
      const found = this.#shardOf(ref.hashHi).current(ref.hashLo, ref.hashHi, conditions);
      if (found !== UNKNOWN_SEGMENT) return this.#found(found);
      this.#awaitMemory(waitedMs);
    }
  }

  /** @throws ReleasedObjectError when the block was replaced */
  #keyOf(ref: BlockRef): Buffer {
    const segment = this.segments.find(ref.segment);
    const block = fromOffset8(ref.offset8);
    const key =
      segment !== undefined && blockStamp(segment, block) === ref.stamp ? blockKey(segment, block) : '';
    if (segment === undefined || blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
    return Buffer.from(key);
  }

  #isHere(ref: BlockRef): boolean {
    const segment = this.segments.find(ref.segment);
    return segment !== undefined && blockStamp(segment, fromOffset8(ref.offset8)) === ref.stamp;
  }

  #shardOf(hashHi: number): ShardReader {
    return this.#shards[this.#shardIndexOf(hashHi)]!;
  }

  #shardIndexOf(hashHi: number): number {
    return hashHi & (this.#shards.length - 1);
  }

  #idOf(name: string): number {
    const known = this.#state.indexes.find(([index]) => index === name);
    if (known !== undefined) return known[1];
    if (this.#state.unready.includes(name)) throw new IndexNotReadyError(name);
    throw new UnknownFieldError(
      'index',
      name,
      this.#state.indexes.map(([index]) => index),
    );
  }

  /** Takes what was announced since the last read. */
  #update(): void {
    if (this.#isDetached) throw new DetachedError();
    const announcements = Atomics.load(this.#control, STORE_ANNOUNCEMENTS_WORD);
    if (announcements !== this.#announcements) this.#receive(announcements);
  }

  #receive(announcements: number): void {
    this.#announcements = announcements;
    // Node takes both kinds of ports here; its types know of one.
    const port = this.#channel as unknown as MessagePort;
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
      this.#take(got.message as Announcement);
    }
  }

  /**
   * A row names memory that this thread has not got. It was announced before, unless this reader has just attached: then
   * it comes with the answer of the home thread.
   */
  #awaitMemory(waitedMs: number): void {
    if (waitedMs >= STALL_MS) throw new StoreStalledError('say where its memory is', waitedMs);
    Atomics.wait(this.#control, STORE_ANNOUNCEMENTS_WORD, this.#announcements, NAP_MS);
    this.#receive(Atomics.load(this.#control, STORE_ANNOUNCEMENTS_WORD));
  }

  /** A record that was read whole names a dictionary that is not here: it was announced since the last read, or is gone. */
  #fetchDictionary(epoch: number): boolean {
    const { dictionaries } = this.segments;
    this.#update();
    for (let waitedMs = 0; !dictionaries.has(epoch) && !this.#isAnswered; waitedMs += NAP_MS) {
      this.#awaitMemory(waitedMs);
    }
    return dictionaries.has(epoch);
  }

  #take(announcement: Announcement): void {
    if (this.#isDetached) return;
    switch (announcement.type) {
      case 'segment':
        this.#addSegments([announcement]);
        break;
      case 'structures':
        this.#addStructures([announcement]);
        break;
      case 'dictionary':
        this.segments.addDictionary(announcement.memory);
        break;
      case 'segmentGone':
        this.segments.delete(announcement.id);
        break;
      case 'dictionaryGone':
        this.segments.deleteDictionary(announcement.epoch);
        break;
      case 'state':
        this.#setState(announcement.state);
        break;
      case 'attached':
        if (announcement.to !== this.#id) break;
        this.segments.clear();
        this.#addMemory(announcement);
        this.#isAnswered = true;
        this.#setState(announcement.state);
        break;
      default:
        break;
    }
  }

  #setState(state: StoreState): void {
    this.#state = state;
    for (const [index, memory] of state.shards.entries()) this.#shards[index]!.replace(memory);
    this.#onState(state);
  }

  #addMemory({
    structures,
    dictionaries,
    segments,
  }: Pick<StoreHandle, 'structures' | 'dictionaries' | 'segments'>): void {
    this.#addStructures(structures);
    for (const memory of dictionaries) this.segments.addDictionary(memory);
    this.#addSegments(segments);
  }

  #addStructures(structures: readonly StructureMemory[]): void {
    for (const { worker, memory } of structures) this.segments.addStructures(worker, memory);
  }

  #addSegments(segments: readonly SegmentMemory[]): void {
    for (const { id, memory } of segments) this.segments.add(openSegment(id, memory));
  }
}
