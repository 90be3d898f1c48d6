/** One informer of a simulation, and what must be true of it at any time. */
import { isDeepStrictEqual } from 'node:util';
import { drop } from '../../src/index/index.ts';
import type { SharedInformer } from '../../src/informer/informer.ts';
import { planInformer } from '../../src/informer/options.ts';
import type { Change, Thing } from './etcd.ts';
import type { Follower } from './follower.ts';
import type { InformerDraw } from './plan.ts';
import type { World } from './world.ts';

export class Subject {
  readonly informer: SharedInformer<Thing>;
  readonly draw: InformerDraw;
  readonly resource: string;
  readonly followers: Follower[] = [];

  readonly #world: World;
  /** The highest resourceVersion of the store so far. */
  #revision = 0;

  constructor(world: World, number: number, draw: InformerDraw) {
    this.#world = world;
    this.draw = draw;
    this.resource = `things${number}`;
    const resource = { group: '', version: 'v1', resource: this.resource };
    const { namespaces, watchIdleMs } = draw;
    const plan = planInformer(resource, {
      indexers: { byNode: 'spec.node' },
      columns: { node: 'spec.node' },
      initialList: draw.initialList,
      ordering: draw.ordering,
      pageLimit: draw.pageLimit,
      shards: draw.shards,
      decodeCacheBytes: draw.decodeCacheBytes,
      ...(watchIdleMs !== undefined && { watchIdleMs }),
      ...(namespaces !== undefined && { namespaces }),
      ...(draw.dropsFields && { project: drop('metadata.managedFields') }),
    });
    this.informer = world.members.add(`${number}`, plan).informer as unknown as SharedInformer<Thing>;
    this.informer.on('error', () => {});
  }

  /** An object as it is cached. */
  expected({ object }: Change): object {
    if (!this.draw.dropsFields) return object;
    const { managedFields: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  /** Nothing is under way within the informer: what came is stored and told. */
  get isIdle(): boolean {
    return this.informer.feeds.every(({ isSettled }) => isSettled);
  }

  /** Throws when something is not as it has to be at any time. */
  check(): void {
    const { lister } = this.informer;
    if (this.informer.isStopped) return;
    const revision = Number(lister.resourceVersion);
    if (revision < this.#revision) {
      throw this.#error(`the store's resourceVersion went back from ${this.#revision} to ${revision}`);
    }
    this.#revision = revision;
    for (const ref of lister.refs()) {
      this.#world.accounts.assertLive(ref.block, `${this.resource}: ${ref.key}`);
      const change = this.#world.cluster.etcd.changeAt(ref.key, Number(ref.resourceVersion));
      if (change === undefined || change.uid !== ref.uid || change.type === 'DELETED') {
        throw this.#error(`the cache has ${ref.key} at ${ref.resourceVersion}, which never was`);
      }
      if (ref.column('node') !== change.object.spec.node) throw this.#error(`${ref.key} has another column`);
    }
    this.#checkVersion(revision);
    this.#checkOne();
    for (const follower of this.followers) follower.lookBack();
  }

  /** Throws unless cache, indexes and handlers have what the server has. */
  checkQuiet(): void {
    const { lister, stats } = this.informer;
    const { etcd } = this.#world.cluster;
    const there = [...etcd.objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const keys = there.map(({ key }) => key);
    if (!isDeepStrictEqual(lister.keys().sort(), keys)) {
      throw this.#error(`the cache has ${lister.keys().sort()}, the server has ${keys}`);
    }
    for (const change of there) this.#checkObject(change);
    for (const node of new Set(there.map(({ object }) => object.spec.node))) this.#checkIndex(node, there);
    for (const { seen, registration } of this.followers) {
      const behind = there.filter(({ key, revision }) => seen.get(key) !== revision);
      if (behind.length > 0 || seen.size !== there.length) {
        throw this.#error(`${registration.name} did not see ${behind.map(({ key }) => key)}, or saw more`);
      }
    }
    if (stats.heldBytes !== 0) throw this.#error(`${stats.heldBytes} bytes are held for nobody`);
  }

  /** Everything up to the store's resourceVersion has to be in the store. */
  #checkVersion(revision: number): void {
    if (revision === 0) return;
    const { lister } = this.informer;
    const { etcd } = this.#world.cluster;
    for (const key of etcd.keys) {
      const state = etcd.stateAt(key, revision);
      if (state === undefined) continue;
      const has = Number(lister.ref(key)?.resourceVersion ?? 0);
      const isBehind = state.type === 'DELETED' ? has > 0 && has < state.revision : has < state.revision;
      // It may be gone already in a later state.
      const isGone = has === 0 && etcd.stateAt(key, etcd.revision)!.uid !== state.uid;
      const wasDeleted = has === 0 && etcd.stateAt(key, etcd.revision)!.type === 'DELETED';
      if (isBehind && !isGone && !wasDeleted) {
        throw this.#error(
          `the store says ${revision}, and has ${key} at ${has} in place of ${state.revision}`,
        );
      }
    }
  }

  /** Decodes one object. */
  #checkOne(): void {
    const keys = this.informer.lister.keys();
    if (keys.length === 0) return;
    const ref = this.informer.lister.ref(this.#world.behaviour.pick(keys))!;
    const change = this.#world.cluster.etcd.changeAt(ref.key, Number(ref.resourceVersion))!;
    if (!isDeepStrictEqual(ref.object, this.expected(change))) {
      throw this.#error(`${ref.key} at ${ref.resourceVersion} is not what the server had`);
    }
  }

  #checkObject(change: Change): void {
    const object = this.informer.lister.get(change.key);
    if (isDeepStrictEqual(object, this.expected(change))) return;
    const version = object?.metadata.resourceVersion;
    throw this.#error(`${change.key} is cached at ${version}, and the server has ${change.revision}`);
  }

  #checkIndex(node: string, there: readonly Change[]): void {
    const found = this.informer.lister.indexKeys('byNode', node).sort();
    const keys = there.filter(({ object }) => object.spec.node === node).map(({ key }) => key);
    if (!isDeepStrictEqual(found, keys))
      throw this.#error(`the index has ${found} for '${node}', not ${keys}`);
  }

  #error(message: string): Error {
    return new Error(`${this.resource}: ${message}`);
  }
}
