import { encodeObject, packObject } from './encode.ts';
import { type JsonObject, sortKeysDeep } from './json.ts';
import { PodFactory, type PodOptions } from './pods.ts';
import type { Random } from './random.ts';
import type { ResourceName } from './resources.ts';
import type { Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';
import { createObject } from './writes.ts';

/** Objects made in one go before the event loop turns: some milliseconds. */
const OBJECTS_PER_TURN = 500;

/** Options of {@link generateObjects}: the objects come from a function or from a template. */
export interface GenerateOptions {
  resource: ResourceName;
  count: number;
  /** Makes object number `i`. Only in this process. */
  make?: (i: number) => object;
  /** Every `{i}` in its texts, keys too, is replaced by the number. */
  template?: object;
  /** Default `default`. */
  namespace?: string;
}

/** Numbers Pods of a server on: no two ever get the same name. */
export class PodSeeder {
  readonly #store: Store;
  #factory = new PodFactory();
  #next = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Creates Pods. @returns how many there are now */
  async seed(count: number, options?: PodOptions): Promise<number> {
    const collection = this.#store.named('pods');
    if (options !== undefined) this.#factory = new PodFactory(options);
    for (let made = 0; made < count; made++) {
      this.#store.put(collection, this.makeOne(this.#store.random));
      if (made % OBJECTS_PER_TURN === OBJECTS_PER_TURN - 1) await nextTurn();
    }
    return collection.size;
  }

  /** The next Pod, not stored yet. */
  makeOne(random: Random): StoredObject {
    const { text, facts } = this.#factory.make(this.#next++, random);
    return packObject(text, facts, this.#store.nextResourceVersion, 'latin1');
  }
}

/** Creates many objects of one resource. */
export async function generateObjects(store: Store, options: GenerateOptions): Promise<number> {
  const { count, namespace = 'default' } = options;
  const collection = store.named(options.resource);
  const make = options.make ?? fromTemplate(options.template);
  for (let i = 0; i < count; i++) {
    const object = make(i) as JsonObject;
    const own = (object.metadata as JsonObject | undefined)?.namespace;
    const target = { store, collection, name: '', scope: 'all', dryRun: false } as const;
    createObject({ ...target, namespace: typeof own === 'string' ? own : namespace }, object);
    if (i % OBJECTS_PER_TURN === OBJECTS_PER_TURN - 1) await nextTurn();
  }
  return collection.size;
}

/** A small new object under a random name: what a churn creates of resources other than Pods. */
export function makePlainObject(store: Store, resource: ResourceName, random: Random): StoredObject {
  const collection = store.named(resource);
  const { kind, apiVersion, namespaced } = collection.resource;
  const metadata: JsonObject = {
    name: `churn-${random.hex(16)}`,
    ...(namespaced ? { namespace: 'default' } : {}),
    uid: random.uuid(),
    generation: 1,
    creationTimestamp: store.timestamp(),
  };
  const object = sortKeysDeep({ kind, apiVersion, metadata, spec: { note: random.hex(32) } }) as JsonObject;
  return encodeObject(collection.resource, object, store.nextResourceVersion);
}

function fromTemplate(template: object | undefined): (i: number) => object {
  if (template === undefined) throw new TypeError('generate needs "make" or "template"');
  const text = JSON.stringify(template);
  return (i) => JSON.parse(text.replaceAll('{i}', String(i)));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
