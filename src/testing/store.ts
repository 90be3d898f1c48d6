import { Collection } from './collection.ts';
import type { Random } from './random.ts';
import type { ResourceDefinition } from './resources.ts';
import { type Resource, type ResourceName, ResourceRegistry } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

/** What a store is made of. */
export interface StoreOptions {
  resources: readonly ResourceDefinition[];
  resourceVersion: number;
  historyEvents: number;
  random: Random;
  /** Milliseconds since 1970. */
  clock: () => number;
}

/** All objects of the server, under one resourceVersion that grows with each write. */
export class Store {
  readonly registry: ResourceRegistry;
  readonly random: Random;
  readonly #clock: () => number;
  readonly #historyEvents: number;
  readonly #startedAt: number;
  readonly #collections = new Map<Resource, Collection>();
  #resourceVersion: number;
  #lastSecond = Number.NaN;
  #lastTimestamp = '';

  constructor(options: StoreOptions) {
    this.registry = new ResourceRegistry(options.resources);
    this.random = options.random;
    this.#clock = options.clock;
    this.#historyEvents = options.historyEvents;
    this.#startedAt = options.resourceVersion;
    this.#resourceVersion = options.resourceVersion;
  }

  /** The resourceVersion of the latest write. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** The resourceVersion that the next write will have. */
  get nextResourceVersion(): number {
    return this.#resourceVersion + 1;
  }

  /** The time as Kubernetes writes it: whole seconds, UTC. */
  timestamp(): string {
    const second = Math.floor(this.#clock() / 1000);
    if (second !== this.#lastSecond) {
      this.#lastSecond = second;
      this.#lastTimestamp = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    }
    return this.#lastTimestamp;
  }

  collection(resource: Resource): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      // Nothing was forgotten of a resource that was never written: its history reaches back to the start.
      collection = new Collection(resource, this.#historyEvents, this.#startedAt);
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  named(name: ResourceName): Collection {
    return this.collection(this.registry.named(name));
  }

  collections(): IterableIterator<Collection> {
    return this.#collections.values();
  }

  /** Stores a new state, which must have been made with {@link nextResourceVersion}. */
  put(collection: Collection, current: StoredObject): StoredObject {
    this.#resourceVersion = current.resourceVersion;
    const previous = collection.get(current.key);
    collection.apply({ resourceVersion: this.#resourceVersion, previous, current });
    return current;
  }

  /** Removes an object. The event carries its last state with the resourceVersion of the removal. */
  remove(collection: Collection, previous: StoredObject): void {
    this.#resourceVersion = this.nextResourceVersion;
    collection.apply({ resourceVersion: this.#resourceVersion, previous, current: undefined });
  }

  /** Moves the counter on without a write, as writes to resources that nobody looks at would. */
  skipTo(resourceVersion: number): void {
    this.#resourceVersion = Math.max(this.#resourceVersion, resourceVersion);
  }

  /** Forgets the history of everything up to now. */
  compact(): void {
    for (const resource of this.registry.all()) this.collection(resource).compact(this.#resourceVersion);
  }
}
