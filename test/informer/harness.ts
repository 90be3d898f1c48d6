/**
 * An informer without worker and server: tests write blocks into an arena and push deltas as the pump
 * would, and see which blocks are given back.
 */

import type { Feed } from '../../src/informer/feed.ts';
import { SharedInformer } from '../../src/informer/informer.ts';
import type { InformerOptions } from '../../src/informer/options.ts';
import type { Prober } from '../../src/informer/probe-desk.ts';
import { hashKey } from '../../src/layout/key-hash.ts';
import { RecordKind } from '../../src/layout/ring.ts';
import { Arena } from '../../src/store/arena.ts';
import { encodeBlock, writeBlock } from '../../src/store/block-encode.ts';
import {
  BlockRef,
  blockName,
  fromOffset8,
  hasBody,
  placeOf,
  SegmentTable,
  toOffset8,
} from '../../src/store/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';

export interface Thing {
  metadata: { namespace?: string; name: string; uid: string; resourceVersion: string };
  spec?: { node?: string; value?: number };
}

export const SEED = { lo: 1, hi: 2 };
const NODE_FIELD = 1;

export class Harness {
  readonly informer: SharedInformer<Thing>;
  readonly segments = new SegmentTable();
  /** Blocks in use, by place. */
  readonly live = new Map<number, BlockRef>();
  released = 0;
  readonly clock = new FakeClock();

  /** How often the informer said that there is something to do. */
  wakes = 0;

  readonly #arena: Arena;
  #feed: Feed<Thing> | undefined;
  #kept: BlockRef[] | undefined;

  /**
   * @param namespaces - when the informer is to have a feed for each
   * @param probe - what audits ask
   */
  constructor(options: InformerOptions = {}, namespaces?: readonly string[], probe?: Prober) {
    this.#arena = new Arena({
      worker: 0,
      limitBytes: 256 * 1024 * 1024,
      onSegment: (segment) => this.segments.add(segment),
      onSegmentGone: (id) => this.segments.delete(id),
    });
    const resource = { group: '', version: 'v1', resource: 'things' };
    const namespace = { name: 'namespace', fieldId: 0 };
    const node = { name: 'node', fieldId: NODE_FIELD };
    this.informer = new SharedInformer<Thing>(
      {
        resource,
        options,
        namespaces,
        pageLimit: 500,
        decodeCacheBytes: options.decodeCacheBytes ?? 1024 * 1024,
        resyncMs: options.resyncMs ?? 0,
        fields: { fields: [], indexes: [namespace, node], columns: [{ ...node, type: 'string' }] },
        functions: new Map(),
        workerIndexes: [],
        workerFunctions: undefined,
        bodies: 'json',
        scan: { fields: [], drops: [] },
      },
      {
        segments: this.segments,
        seed: SEED,
        clock: this.clock,
        release: (ref) => this.#release(ref),
        wake: () => {
          this.wakes++;
        },
        start: () => this.informer.started(),
        stop: async () => this.informer.stopped(),
        ...(probe !== undefined && { probe }),
      },
    );
  }

  /** Where deltas go: the informer's only feed, unless a test chose another one. */
  get feed(): Feed<Thing> {
    return this.#feed ?? this.informer.feeds[0]!;
  }

  chooseFeed(index: number): void {
    this.#feed = this.informer.feeds[index];
  }

  added(thing: Thing): void {
    this.#push(RecordKind.added, thing);
  }

  modified(thing: Thing): void {
    this.#push(RecordKind.modified, thing);
  }

  deleted(thing: Thing): void {
    this.#push(RecordKind.deleted, thing);
  }

  bookmark(resourceVersion: string): void {
    this.#control(RecordKind.bookmark, resourceVersion);
  }

  /** A whole list. */
  list(things: readonly Thing[], resourceVersion: string): void {
    this.beginList();
    for (const thing of things) this.item(thing);
    this.endList(resourceVersion);
  }

  beginList(): void {
    this.#control(RecordKind.replaceBegin, '');
  }

  item(thing: Thing): void {
    this.#push(RecordKind.replaceItem, thing);
  }

  /** An item that is known to be as it was. */
  mark(thing: Thing): void {
    this.#push(RecordKind.replaceMark, thing, false);
  }

  endList(resourceVersion: string): void {
    this.#control(RecordKind.replaceEnd, resourceVersion, { kind: 'Thing', apiVersion: 'v1' });
  }

  /** Lets the informer work on all that was pushed. */
  work(): void {
    for (const feed of this.informer.feeds) {
      while (feed.hasWork) feed.work(() => true);
      feed.settle();
    }
  }

  /** Works in slices that are over as soon as they look at the time. */
  workSlices(slices: number): void {
    for (let i = 0; i < slices; i++) {
      for (const feed of this.informer.feeds) if (feed.hasWork) feed.work(() => false);
    }
    for (const feed of this.informer.feeds) feed.settle();
  }

  get hasWork(): boolean {
    return this.informer.feeds.some((feed) => feed.hasWork);
  }

  /** A block that is not pushed: a test gives it to whom it wants. */
  block(thing: Thing, hasBody: boolean): BlockRef {
    return this.#write(thing, hasBody ? Buffer.from(JSON.stringify(thing)) : undefined);
  }

  /** A body that is not JSON. */
  addedBroken(thing: Thing): void {
    this.feed.push(RecordKind.added, this.#write(thing, Buffer.from('{"metadata":{"name":}}')));
  }

  /** The block that the object has in the store. */
  blockOf(key: string): BlockRef {
    return this.informer.lister.ref(key)!.block;
  }

  /** False for marks and control records, which no worker copies. */
  isObject({ segment, offset8 }: BlockRef): boolean {
    const home = this.segments.get(segment);
    return hasBody(home, fromOffset8(offset8)) && blockName(home, fromOffset8(offset8)) !== '';
  }

  /** As when a worker copies a block of the feed, and the record comes to the informer. */
  move(from: BlockRef): void {
    const { bytes } = this.segments.get(from.segment);
    const start = fromOffset8(from.offset8);
    const { lengthBytes } = from;
    // Whoever is told of a copy does not know the hash of its key.
    const copy = this.#place(Buffer.from(bytes.subarray(start, start + lengthBytes)), 0, 0);
    this.feed.moved(copy, from);
  }

  #push(kind: number, thing: Thing, hasBody = true): void {
    this.feed.push(kind, this.#write(thing, hasBody ? Buffer.from(JSON.stringify(thing)) : undefined));
  }

  #write(thing: Thing, body: Buffer | undefined): BlockRef {
    const { namespace = '', name, uid, resourceVersion } = thing.metadata;
    const fields = [{ id: 0, value: namespace }];
    if (thing.spec?.node !== undefined) fields.push({ id: NODE_FIELD, value: thing.spec.node });
    const key = namespace === '' ? name : `${namespace}/${name}`;
    const hash = { lo: 0, hi: 0 };
    hashKey(key, SEED, hash);
    const content = { namespace, name, uid, resourceVersion, fields };
    return this.#place(encodeBlock(body === undefined ? content : { ...content, body }), hash.lo, hash.hi);
  }

  #control(kind: number, resourceVersion: string, body: object = {}): void {
    const block = encodeBlock({ name: '', resourceVersion, body: Buffer.from(JSON.stringify(body)) });
    this.feed.push(kind, this.#place(block, 0, 0));
  }

  #place(block: Buffer, hashLo: number, hashHi: number): BlockRef {
    this.#arena.allocate(block.length, 1);
    const segment = this.#arena.segment!;
    writeBlock(segment, this.#arena.offset, block, this.#arena.stamp);
    const { offset, stamp } = this.#arena;
    const ref = new BlockRef(segment.id, toOffset8(offset), block.length, stamp, hashLo | 0, hashHi | 0);
    this.live.set(placeOf(ref), ref);
    return ref;
  }

  /**
   * From now on what is released stays readable, as before a link is flushed.
   *
   * @returns ends that
   */
  holdReleases(): () => void {
    const kept: BlockRef[] = [];
    this.#kept = kept;
    return () => {
      this.#kept = undefined;
      for (const ref of kept) this.#release(ref);
    };
  }

  #release(ref: BlockRef): void {
    if (this.#kept !== undefined) {
      this.#kept.push(ref);
      return;
    }
    if (!this.live.delete(placeOf(ref))) throw new Error('a block was released twice');
    this.released++;
    this.#arena.free(ref.segment, ref.offset8 * 8);
  }
}

export function thing(
  key: string,
  resourceVersion: number,
  more: { uid?: string; node?: string } = {},
): Thing {
  const [namespace, name] = key.split('/') as [string, string];
  const { uid = `uid-${key}`, node } = more;
  return {
    metadata: { namespace, name, uid, resourceVersion: String(resourceVersion) },
    spec: { value: resourceVersion, ...(node !== undefined && { node }) },
  };
}
