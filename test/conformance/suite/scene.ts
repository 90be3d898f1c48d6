import assert from 'node:assert/strict';
import type { ResourceRef } from '../../../src/index.ts';
import { APPLY_PATCH, type Json } from '../harness/connection.ts';
import { collectionPath, type Follower } from './follower.ts';
import type { Kind } from './kinds.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** One informer of one kind, and writes to it by name. */
export class Scene {
  readonly follower: Follower;
  readonly start: () => Promise<void>;
  readonly #server: ServerUnderTest;
  readonly #kind: Kind;
  readonly #path: string;
  readonly #prefix: string;

  constructor(
    server: ServerUnderTest,
    kind: Kind,
    resource: ResourceRef,
    follower: Follower,
    start = async () => {},
  ) {
    this.#server = server;
    this.#kind = kind;
    this.#path = collectionPath(resource);
    this.#prefix = resource.namespace === undefined ? '' : `${resource.namespace}/`;
    this.follower = follower;
    this.start = start;
  }

  create(name: string, metadata: object = {}, rest: object = {}): Promise<Json> {
    const object = this.#kind.make(name);
    return this.#server.api.create(this.#path, {
      ...object,
      metadata: { ...object.metadata, ...metadata },
      ...rest,
    });
  }

  createText(text: string): Promise<Json> {
    return this.#server.api.create(this.#path, text);
  }

  patch(name: string, patch: object, subresource = ''): Promise<Json> {
    return this.#server.api.patch(`${this.#path}/${name}${subresource}`, patch);
  }

  apply(name: string, fields: object): Promise<Json> {
    const { apiVersion, kind } = this.#kind.make(name);
    const object = { apiVersion, kind, metadata: { name }, ...fields };
    return this.#server.api.patch(`${this.#path}/${name}?fieldManager=suite&force=true`, object, APPLY_PATCH);
  }

  async replace(name: string, change: (object: Json) => Json): Promise<Json> {
    const path = `${this.#path}/${name}`;
    return this.#server.api.replace(path, change(await this.#server.api.get(path)));
  }

  /** Something of each kind. */
  async change(): Promise<void> {
    await this.patch('a', this.#kind.patch);
    await this.create('c');
    await this.delete('b');
  }

  /** Pods are deleted at once: there is no kubelet to say that they have ended. */
  delete(name: string): Promise<Json> {
    return this.#server.api.delete(`${this.#path}/${name}?gracePeriodSeconds=0`);
  }

  settled(): Promise<void> {
    return this.follower.settled(this.#server.api);
  }

  cached(name: string): Json {
    return this.ref(name).object;
  }

  ref(name: string) {
    const ref = this.follower.informer.lister.ref(`${this.#prefix}${name}`);
    assert.ok(ref !== undefined, `${name} is in the cache`);
    return ref;
  }
}
