import { NotFoundError } from './errors.ts';
import type { Lister } from './lister.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Query } from './query.ts';

/**
 * A view of the objects of one namespace: keys are names here. Made by `Lister.namespace`.
 * Source: the `PodNamespaceLister` and its like in client-go's `listers/`.
 */
export class NamespaceLister<T = object> {
  readonly namespace: string;
  readonly #lister: Lister<T>;

  /** @internal */
  constructor(lister: Lister<T>, namespace: string) {
    this.#lister = lister;
    this.namespace = namespace;
  }

  /** How many objects the namespace has. */
  get size(): number {
    return this.#lister.count({ namespace: this.namespace });
  }

  /** The object of this name; undefined when there is none. Throws as `Lister.get`. */
  get(name: string): T | undefined {
    return this.#lister.get(this.#keyOf(name));
  }

  /** @throws NotFoundError when there is no object of this name, and as `Lister.get` */
  getOrThrow(name: string): T {
    const object = this.get(name);
    if (object === undefined) throw new NotFoundError(this.#keyOf(name));
    return object;
  }

  has(name: string): boolean {
    return this.#lister.has(this.#keyOf(name));
  }

  /** A handle to the current version, nothing decoded. */
  ref(name: string): ObjectRef<T> | undefined {
    return this.#lister.ref(this.#keyOf(name));
  }

  /** The objects of the namespace, or those whose labels match, in no order. Throws as `Lister.list`. */
  list(labelSelector = ''): T[] {
    return this.#lister.list({ namespace: this.namespace, labelSelector });
  }

  /** As `Lister.query`, in this namespace. */
  query(where: Readonly<Record<string, string>> = {}, labelSelector = ''): Query<T> {
    return this.#lister.query(where, { namespace: this.namespace, labelSelector });
  }

  #keyOf(name: string): string {
    return `${this.namespace}/${name}`;
  }
}
