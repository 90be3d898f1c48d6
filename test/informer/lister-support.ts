/** A cache without an informer: tests put objects in, and ask the lister. */
import { compileAccessor, type IndexSpec } from '../../src/index/index.ts';
import { InformerIndexes } from '../../src/informer/informer-indexes.ts';
import { Lister } from '../../src/informer/lister.ts';
import { type InformerOptions, planInformer } from '../../src/informer/options.ts';
import { hashKey } from '../../src/layout/key-hash.ts';
import { Arena } from '../../src/store/arena.ts';
import { encodeBlock, writeBlock } from '../../src/store/block-encode.ts';
import {
  BlockRef,
  Bodies,
  blockKey,
  fromOffset8,
  Indexer,
  SegmentTable,
  toOffset8,
} from '../../src/store/index.ts';
import { IndexerSource } from '../../src/store/indexer-source.ts';

export interface Thing {
  kind?: string;
  apiVersion?: string;
  metadata: {
    namespace?: string;
    name: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    ownerReferences?: { uid: string; controller?: boolean }[];
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const SEED = { lo: 3, hi: 4 };

export class Cache {
  readonly lister: Lister<Thing>;
  readonly indexer: Indexer;
  readonly bodies: Bodies;
  readonly indexes: InformerIndexes;
  /** `index key: message` of each failure of an index. */
  readonly failures: string[] = [];
  nowMs = 0;

  readonly #segments = new SegmentTable();
  readonly #arena: Arena;
  readonly #fields: { id: number; valuesOf: (object: unknown) => string[] }[];

  constructor(options: InformerOptions<Thing> & { shards?: number } = {}) {
    const { shards = 4, ...rest } = options;
    this.#arena = new Arena({
      worker: 0,
      limitBytes: 512 * 1024 * 1024,
      onSegment: (segment) => this.#segments.add(segment),
      onSegmentGone: (id) => this.#segments.delete(id),
    });
    const plan = planInformer({ group: '', version: 'v1', resource: 'things' }, rest as InformerOptions);
    const { fields, functions, decodeCacheBytes } = plan;
    const { decodeCacheEntries, project, freeze = false } = rest;
    const segments = this.#segments;
    this.#fields = plan.scan.fields.map(({ id, path }) => ({ id, valuesOf: compileAccessor(path) }));
    this.bodies = new Bodies({
      segments,
      cacheBytes: decodeCacheBytes,
      ...(decodeCacheEntries !== undefined && { cacheEntries: decodeCacheEntries }),
      freeze,
    });
    const now = () => this.nowMs++;
    const { workerIndexes } = plan;
    this.indexes = new InformerIndexes({
      fields,
      functions,
      workerIndexes,
      projection: project,
      bodies: this.bodies,
      now,
    });
    this.indexer = new Indexer({
      segments,
      seed: SEED,
      shards,
      indexes: this.indexes.definitions,
      onIndexError: (index, ref, error) => {
        const key = blockKey(segments.get(ref.segment), fromOffset8(ref.offset8));
        this.failures.push(`${index} ${key}: ${(error as Error).message}`);
      },
    });
    this.indexes.open(this.indexer);
    const columns = new Map(fields.columns.map((column) => [column.name, column]));
    const indexOfPath = (path: string) => this.indexes.indexOfPath(path);
    this.lister = new Lister<Thing>(new IndexerSource(this.indexer), {
      segments,
      bodies: this.bodies,
      columns,
      indexOfPath,
    });
  }

  /** Adds or updates an object; `json` instead of what it is written as. */
  put(thing: Thing, json = JSON.stringify(thing)): void {
    const block = this.#write(thing, Buffer.from(json));
    const { hashLo, hashHi, segment, offset8, lengthBytes, stamp } = block;
    const before = this.indexer.find(keyOf(thing));
    const old = before === -1 ? undefined : this.indexer.refOf(before);
    try {
      this.indexer.upsert(hashLo, hashHi, segment, offset8, lengthBytes, stamp, 0);
    } catch (error) {
      this.#release(block);
      throw error;
    }
    if (old !== undefined) this.#release(old);
  }

  remove(key: string): void {
    const slot = this.indexer.find(key);
    const old = this.indexer.refOf(slot);
    this.indexer.removeSlot(slot);
    this.#release(old);
  }

  add(indexers: Readonly<Record<string, IndexSpec<Thing>>>): Promise<void> {
    return this.indexes.add(indexers as Readonly<Record<string, IndexSpec>>);
  }

  #write(thing: Thing, body: Buffer): BlockRef {
    const key = keyOf(thing);
    const hash = { lo: 0, hi: 0 };
    hashKey(key, SEED, hash);
    const fields = this.#fields.flatMap(({ id, valuesOf }) =>
      valuesOf(thing).map((value) => ({ id, value })),
    );
    const block = encodeBlock({ ...thing.metadata, fields, body });
    this.#arena.allocate(block.length, 1);
    const { segment, offset, stamp } = this.#arena;
    writeBlock(segment!, offset, block, stamp);
    return new BlockRef(segment!.id, toOffset8(offset), block.length, stamp, hash.lo | 0, hash.hi | 0);
  }

  #release(ref: BlockRef): void {
    this.bodies.forget(ref);
    this.#arena.free(ref.segment, ref.offset8 * 8);
  }
}

export function keyOf({ metadata: { namespace = '', name } }: Thing): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** A thing with this key; `more` goes into its metadata. */
export function thing(
  key: string,
  spec: Record<string, unknown> = {},
  more: Partial<Thing['metadata']> = {},
): Thing {
  const at = key.indexOf('/');
  const named = at === -1 ? { name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
  return { metadata: { ...named, uid: `uid-${key}`, resourceVersion: '1', ...more }, spec };
}
