import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileAccessor, parseFieldPath } from '../../src/index/index.ts';
import { parseLabelSelector } from '../../src/selector/index.ts';
import { randomOf } from '../store/indexer-support.ts';
import { Cache, keyOf, type Thing, thing } from './lister-support.ts';

const STEPS = 1500;
const NAMESPACES = ['', 'a', 'a-b', 'ä', 'kube-system'];
const NAMES = ['web', 'web-0', 'web0', 'x', '日本', 'z'.repeat(80)];
const NODES = ['', 'n1', 'n2', 'größe', '\u{1f600}', 'n'.repeat(40)];
const LABELS = ['app', 'tier', 'app.kubernetes.io/name'];
const SELECTORS = [
  '',
  'app',
  '!tier',
  'app=n1',
  'app in (n1,n2),tier notin (n1)',
  'app.kubernetes.io/name!=n2',
];

/** Indexes that the informer has from the start, and such as come and go: paths, and the same as functions. */
const PATHS = {
  byNode: 'spec.node',
  byTag: 'spec.tags[*]',
  byFirstTag: 'spec.tags[0]',
  byLabelName: 'keys(metadata.labels)',
  byApp: 'metadata.labels.app',
  byController: 'metadata.ownerReferences[?(@.controller==true)].uid',
} as const;

type IndexName = keyof typeof PATHS;

describe('lister beside a Map', () => {
  for (const shards of [1, 8]) {
    for (const seed of [21, 22, 23]) {
      it(`agrees in every query after random changes (${shards} shards, seed ${seed})`, async () => {
        await new Simulation(shards, seed).run();
      });
    }
  }
});

/** Does the same to a cache and to a Map, and compares what both say. */
class Simulation {
  readonly #cache: Cache;
  readonly #model = new Map<string, Thing>();
  readonly #random: (limit: number) => number;
  /** Indexes that can be asked. */
  #names = new Set<IndexName>(['byNode', 'byTag']);

  constructor(shards: number, seed: number) {
    const { byNode, byTag } = PATHS;
    this.#cache = new Cache({ shards, indexers: { byNode, byTag }, decodeCacheEntries: 7 });
    this.#random = randomOf(seed);
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const choice = this.#random(100);
      if (choice < 60) this.#put();
      else if (choice < 90) this.#remove();
      else if (choice < 98) this.#compareOne();
      else await this.#changeIndexes();
      assert.equal(this.#cache.lister.size, this.#model.size);
    }
    this.#compareAll();
  }

  #put(): void {
    const object = this.#object();
    this.#cache.put(object);
    this.#model.set(keyOf(object), object);
  }

  #remove(): void {
    const key = this.#pick([...this.#model.keys()]);
    if (key === undefined) return;
    this.#cache.remove(key);
    this.#model.delete(key);
  }

  /** Adds an index, or removes one, while objects change. */
  async #changeIndexes(): Promise<void> {
    const name = this.#pick(Object.keys(PATHS) as IndexName[])!;
    if (this.#names.delete(name)) {
      this.#cache.indexes.remove(name);
      return;
    }
    const accessor = compileAccessor(parseFieldPath(PATHS[name]));
    const ready = this.#cache.add({ [name]: this.#random(2) === 0 ? PATHS[name] : accessor });
    for (let i = this.#random(20); i > 0; i--) {
      this.#put();
      this.#remove();
    }
    await ready;
    this.#names.add(name);
  }

  #object(): Thing {
    const namespace = this.#pick(NAMESPACES)!;
    const name = `${this.#pick(NAMES)}-${this.#random(12)}`;
    const some = (limit: number) => Array.from({ length: this.#random(limit) }, () => this.#pick(NODES)!);
    const labels: Record<string, string> = {};
    for (const label of LABELS) if (this.#random(2) === 0) labels[label] = this.#pick(['n1', 'n2', ''])!;
    const ownerReferences = some(3).map((uid) => ({ uid, controller: this.#random(2) === 0 }));
    const spec = { ...(this.#random(3) > 0 && { node: this.#pick(NODES) }), tags: some(5) };
    return thing(namespace === '' ? name : `${namespace}/${name}`, spec, { labels, ownerReferences });
  }

  #compareOne(): void {
    const { lister } = this.#cache;
    const key = this.#pick([...this.#model.keys(), 'missing', 'a/missing'])!;
    assert.deepEqual(lister.get(key), this.#model.get(key));
    assert.equal(lister.has(key), this.#model.has(key));
    const where: Record<string, string> = {};
    for (const name of this.#names) if (this.#random(3) === 0) where[name] = this.#pick(NODES)!;
    this.#compareQuery(where, this.#pick(NAMESPACES)!, this.#pick(SELECTORS)!);
  }

  #compareQuery(where: Record<string, string>, namespace: string, labelSelector: string): void {
    const query = this.#cache.lister.query(where, { namespace, labelSelector });
    const selector = parseLabelSelector(labelSelector);
    const expected = [...this.#model]
      .filter(([, { metadata }]) => namespace === '' || metadata.namespace === namespace)
      .filter(([, { metadata }]) => selector.matches(metadata.labels!))
      .filter(([, object]) =>
        Object.entries(where).every(([name, value]) => valuesOf(name, object).includes(value)),
      )
      .map(([key]) => key)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const what = JSON.stringify({ where, namespace, labelSelector });

    assert.deepEqual(query.keys().sort(), expected.toSorted(), what);
    assert.equal(query.count(), expected.length, what);
    assert.deepEqual([...query].map(({ key }) => key).sort(), expected.toSorted(), what);
    assert.deepEqual(query.objects().map(keyOf).sort(), expected.toSorted(), what);
    const limit = 1 + this.#random(30);
    const after = this.#random(2) === 0 ? undefined : this.#pick(expected);
    const from = after === undefined ? 0 : expected.indexOf(after) + 1;
    const page = query.page({ limit, continue: after });
    assert.deepEqual(page.keys, expected.slice(from, from + limit), what);
    assert.equal(
      page.continue,
      from + limit < expected.length ? expected[from + limit - 1] : undefined,
      what,
    );
  }

  #compareAll(): void {
    const { lister } = this.#cache;
    for (const [key, object] of this.#model) assert.deepEqual(lister.get(key), object);
    for (const name of this.#names) {
      const values = [...this.#model.values()].flatMap((object) => valuesOf(name, object));
      assert.deepEqual(lister.indexValues(name).sort(), [...new Set(values)].sort());
      for (const value of NODES) this.#compareQuery({ [name]: value }, '', '');
    }
    for (const namespace of NAMESPACES) {
      for (const selector of SELECTORS) this.#compareQuery({}, namespace, selector);
    }
  }

  #pick<V>(from: readonly V[]): V | undefined {
    return from[this.#random(from.length)];
  }
}

function valuesOf(name: string, object: Thing): string[] {
  return compileAccessor(parseFieldPath(PATHS[name as IndexName]))(object);
}
