/**
 * What callbacks were told, and what `get` and `list` answer. It outlives `stop()`: whoever starts again is told only
 * what changed meanwhile, as by client-node.
 */
import type { KubernetesObject } from '@kubernetes/client-node';
import type { InformerEvent, Lister, ObjectRef } from '../informer/index.ts';

type Readable<T> = Pick<Lister<T>, 'get' | 'keys'>;

export class ToldObjects<T extends KubernetesObject> {
  /** By key, the resourceVersion that callbacks know. */
  readonly #told = new Map<string, string>();
  /** The cache of the running informer. */
  #live: Lister<T> | undefined;
  /** What was known at the last stop, and of it what the running informer did not give yet. */
  #before: Readable<T> | undefined;
  #unseen = new Set<string>();

  /** An informer runs. */
  attach(live: Lister<T>): void {
    this.#live = live;
  }

  /** What an event is to somebody who was told what callbacks were told; undefined when it is nothing new. */
  take(
    event: Pick<InformerEvent<T>, 'type' | 'key' | 'resourceVersion'>,
  ): 'add' | 'update' | 'delete' | undefined {
    const { type, key } = event;
    this.#unseen.delete(key);
    if (type === 'delete') return this.#told.delete(key) ? 'delete' : undefined;
    const { resourceVersion } = event;
    const known = this.#told.get(key);
    this.#told.set(key, resourceVersion);
    if (known === undefined) return 'add';
    return known === resourceVersion ? undefined : 'update';
  }

  /**
   * All objects that exist were taken: what is left from before the last stop is gone.
   *
   * @param tell - gets the last known state of each
   */
  settle(tell: (key: string, object: T) => void): void {
    const before = this.#before;
    const gone = this.#unseen;
    this.#unseen = new Set();
    this.#before = undefined;
    for (const key of gone) {
      this.#told.delete(key);
      tell(key, before?.get(key) ?? nameOnly(key));
    }
  }

  /**
   * The informer stops.
   *
   * @param isReadable - its cache stays as it is; else what is needed of it is copied now
   */
  detach(isReadable: boolean): void {
    const live = this.#live;
    if (live === undefined) return;
    const last = isReadable ? live : new Copies(live, this.#told);
    const older = this.#unseen.size === 0 ? undefined : this.#before;
    this.#before = older === undefined ? last : new Layers(last, older);
    this.#unseen = new Set(this.#told.keys());
    this.#live = undefined;
  }

  get(name: string, namespace: string | undefined): T | undefined {
    const key = namespace ? `${namespace}/${name}` : name;
    const object = this.#live?.get(key);
    return object === undefined && this.#unseen.has(key) ? this.#before?.get(key) : object;
  }

  list(namespace: string | undefined): T[] {
    const objects = this.#live?.list(namespace ? { namespace } : {}) ?? [];
    for (const key of this.#unseen) {
      if (namespace && !key.startsWith(`${namespace}/`)) continue;
      const object = this.#live?.has(key) ? undefined : this.#before?.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }
}

/** Objects of a cache that goes on without us, outside of the JavaScript heap, decoded when they are asked for. */
class Copies<T> implements Readable<T> {
  readonly #bodies = new Map<string, Buffer>();
  readonly #typeMeta: object;

  /** @param wanted - has the keys that are copied */
  constructor(lister: Lister<T>, wanted: ReadonlyMap<string, unknown>) {
    const refs = lister.refs();
    this.#typeMeta = typeMetaOf(refs);
    for (const ref of refs) if (wanted.has(ref.key)) this.#bodies.set(ref.key, Buffer.from(ref.json));
  }

  get(key: string): T | undefined {
    const body = this.#bodies.get(key);
    return body && { ...this.#typeMeta, ...(JSON.parse(body.toString()) as T) };
  }

  keys(): string[] {
    return [...this.#bodies.keys()];
  }
}

/** Items of a list do not say their kind in their JSON, but decoded they do: it is the same for all. */
function typeMetaOf(refs: readonly ObjectRef<unknown>[]): object {
  for (const ref of refs) {
    try {
      const { kind, apiVersion } = ref.object as KubernetesObject;
      return { apiVersion, kind };
    } catch {
      // A body that can't be decoded says nothing of the others.
    }
  }
  return {};
}

/** What was known when an informer was stopped before it had listed all: the older state stands for what is missing. */
class Layers<T> implements Readable<T> {
  readonly #upper: Readable<T>;
  readonly #lower: Readable<T>;

  constructor(upper: Readable<T>, lower: Readable<T>) {
    this.#upper = upper;
    this.#lower = lower;
  }

  get(key: string): T | undefined {
    return this.#upper.get(key) ?? this.#lower.get(key);
  }

  keys(): string[] {
    return [...new Set([...this.#upper.keys(), ...this.#lower.keys()])];
  }
}

/** For an object whose delete the cache knew before callbacks were told: nothing else is left of it. */
function nameOnly<T extends KubernetesObject>(key: string): T {
  const slash = key.indexOf('/');
  const metadata =
    slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  return { metadata } as T;
}
