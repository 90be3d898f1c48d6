/** An informer, what it told, and whether that is what the server says. */
import assert from 'node:assert/strict';
import type { KubeConfig } from '@kubernetes/client-node';
import {
  type FactoryOptions,
  type InformerError,
  type InformerOptions,
  type ResourceRef,
  type SharedInformer,
  SharedInformerFactory,
} from '../../../src/index.ts';
import { assertErrorsAreClear } from '../../e2e/scenarios/errors.ts';
import { assertStory, type Told } from '../../e2e/scenarios/story.ts';
import type { Connection, Json } from '../harness/connection.ts';

/** A real server on two busy processors, restarted in the middle, with delays between tries of up to 30 s. */
const SETTLE_LIMIT_MS = 90_000;
const SETTLE_INTERVAL_MS = 50;

const METADATA_ONLY = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };

export interface FollowerOptions extends InformerOptions {
  /** Only metadata comes, so only metadata is compared. */
  readonly metadataOnly?: boolean;
}

export class Follower {
  readonly informer: SharedInformer<Json>;
  readonly told: Told[] = [];
  readonly errors: InformerError[] = [];
  readonly #listPath: string;
  readonly #metadataOnly: boolean;

  constructor(factory: SharedInformerFactory, resource: ResourceRef, options: FollowerOptions = {}) {
    this.informer = factory.informerFor<Json>(resource, options);
    this.#metadataOnly = options.metadataOnly === true;
    this.#listPath = `${collectionPath(resource)}${queryOf(options)}`;
    this.informer.on('error', (error) => this.errors.push(error));
    this.informer.addEventHandler({
      onEvent: ({ type, key, uid, resourceVersion, isFinalStateUnknown }) =>
        void this.told.push({ type, key, uid, resourceVersion, isFinalStateUnknown }),
    });
  }

  /** What was told, in short and in order. */
  get story(): string[] {
    return this.told.map(({ type, key }) => `${type} ${key.split('/').at(-1)}`);
  }

  /**
   * Waits until cache and handlers have what a fresh list has, and compares all of it. A list is made anew each time:
   * an API server writes objects of its own.
   */
  async settled(api: Connection): Promise<void> {
    const endMs = performance.now() + SETTLE_LIMIT_MS;
    let expected = await this.#list(api);
    while (!this.#hasReached(expected) && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_INTERVAL_MS));
      // Whole objects only when it looks as if they will be needed: there may be thousands.
      if (this.#hasReached(await this.#list(api, METADATA_ONLY))) expected = await this.#list(api);
    }
    const { lister } = this.informer;
    assert.deepEqual(lister.keys().sort(), [...expected.keys()].sort());
    for (const [key, object] of expected) assert.deepEqual(lister.get(key), object);
    assertStory(
      this.told,
      [...expected].map(([key, { metadata }]) => ({ key, ...metadata })),
    );
    assertErrorsAreClear(this.errors, this.informer.resource.resource);
  }

  #hasReached(expected: ReadonlyMap<string, Json>): boolean {
    const { lister } = this.informer;
    const cached = lister.refs().map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`);
    const states = [...expected].map(
      ([key, { metadata }]) => `${key} ${metadata.uid} ${metadata.resourceVersion}`,
    );
    if (cached.sort().join() !== states.sort().join()) return false;
    const last = new Map<string, string>();
    for (const { type, key, uid, resourceVersion } of this.told) {
      if (type === 'delete') last.delete(key);
      else last.set(key, `${key} ${uid} ${resourceVersion}`);
    }
    return [...last.values()].sort().join() === states.join();
  }

  /** What the server has now, as the cache should hold it: items of a list of a built-in kind don't name it. */
  async #list(api: Connection, headers = {}): Promise<Map<string, Json>> {
    const list = await api.get(this.#listPath, headers);
    const kind = this.#metadataOnly ? 'PartialObjectMetadata' : list.kind.replace(/List$/, '');
    const apiVersion = this.#metadataOnly ? 'meta.k8s.io/v1' : list.apiVersion;
    return new Map(
      // A list of metadata without items has `null`.
      (list.items ?? []).map((item: Json) => {
        const { namespace, name } = item.metadata;
        const object = this.#metadataOnly ? { metadata: item.metadata } : item;
        return [namespace === undefined ? name : `${namespace}/${name}`, { ...object, kind, apiVersion }];
      }),
    );
  }
}

/** Runs `body` with a factory, and stops that afterwards, however it ends. */
export async function withFactory(
  kubeConfig: KubeConfig,
  body: (factory: SharedInformerFactory) => Promise<void>,
  options?: FactoryOptions,
): Promise<void> {
  const factory = new SharedInformerFactory(kubeConfig, options);
  try {
    await body(factory);
  } finally {
    await factory.stop();
  }
}

/** Where a resource is listed and its objects are created. */
export function collectionPath({ group, version, resource, namespace }: ResourceRef): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`;
}

function queryOf({ labelSelector, fieldSelector }: InformerOptions): string {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector);
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  return query.size === 0 ? '' : `?${query}`;
}
