/** From events of informers to keys in the queue. */
import {
  type InformerEvent,
  type Lister,
  type ObjectRef,
  type Registration,
  type SharedInformer,
  UsageError,
} from '../../informer/index.ts';
import { LOW_PRIORITY } from '../../workqueue/index.ts';
import { ControllerError, reasonOf } from './errors.ts';
import { ownerKey } from './owner.ts';
import type { Predicate } from './predicates.ts';

/** The keys that an object is about; nothing, or an empty list, for none. */
export type MappedKeys = string | Iterable<string> | undefined;

/** From a state of a watched object to the keys of those that have to be reconciled because of it. */
export type MapFunction<T = object> = (object: ObjectRef<T>) => MappedKeys | Promise<MappedKeys>;

/** Objects that don't belong to those that are reconciled, but matter to them. */
export interface Watch<T = object> {
  readonly informer: SharedInformer<T>;
  /**
   * Gives keys of the resource that is reconciled. Asked for an update with the state before and the one after, so that
   * whom the object was about is told as well. What it looks at decides the cost: `object.at('spec.secretName')` decodes
   * one field, `object.object` all. It may return a promise; later events of the informer wait for that.
   */
  map(object: ObjectRef<T>): MappedKeys | Promise<MappedKeys>;
  /** An event has to pass all of them. @default all events pass */
  readonly predicates?: readonly Predicate<T>[];
}

/**
 * A watch whose types fit each other, for the controller's option `watches`:
 * `watch(secrets, (secret) => …)`.
 */
export function watch<T>(
  informer: SharedInformer<T>,
  map: MapFunction<T>,
  options: Pick<Watch<T>, 'predicates'> = {},
): Watch<T> {
  return { informer, map, ...options };
}

/** An informer whose events lead to keys. */
export interface Source {
  readonly informer: SharedInformer;
  readonly predicates: readonly Predicate[];
  /** The keys of a state of an object. */
  readonly map: MapFunction;
}

/** The objects themselves. */
export function primarySource(informer: SharedInformer, predicates: readonly Predicate[]): Source {
  return { informer, predicates, map: keyOfObject };
}

/** Objects whose controller is one of those that are reconciled. */
export function ownedSource(
  informer: SharedInformer,
  predicates: readonly Predicate[],
  owners: SharedInformer,
): Source {
  const lister: Lister<object> = owners.lister;
  return { informer, predicates, map: (object) => ownerKey(object, lister, owners.resource) };
}

function keyOfObject(object: ObjectRef): string {
  return object.key;
}

function listOf(keys: MappedKeys): Iterable<string> {
  if (keys === undefined) return [];
  return typeof keys === 'string' ? [keys] : keys;
}

export interface SourcesOptions {
  readonly sources: readonly Source[];
  readonly controller: string;
  readonly add: (key: string, priority: number) => void;
  readonly onError: (error: ControllerError) => void;
}

/** The handlers of a controller. Each only puts keys into the queue, so none of them ever lags. */
export class Sources {
  readonly #options: SourcesOptions;
  #registrations: Registration[] = [];

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** @throws StoppedError when an informer was stopped */
  start(): void {
    for (const source of this.#options.sources) {
      const handler = { onEvent: (event: InformerEvent) => this.#onEvent(source, event) };
      const name = `controller ${this.#options.controller}`;
      this.#registrations.push(source.informer.addEventHandler(handler, { name }));
    }
  }

  stop(): void {
    for (const registration of this.#registrations) void registration.remove();
    this.#registrations = [];
  }

  #onEvent(source: Source, event: InformerEvent): void | Promise<void> {
    if (!this.#passes(source, event)) return;
    // What exists, or did not change, can wait for what did.
    const priority = event.isInitial || event.isResync ? LOW_PRIORITY : 0;
    if (source.map === keyOfObject) {
      this.#options.add(event.key, priority);
      return;
    }
    const { oldRef } = event;
    const after = this.#keysOf(source, event, event);
    const before = oldRef === undefined || event.isResync ? undefined : this.#keysOf(source, oldRef, event);
    if (!(after instanceof Promise || before instanceof Promise)) {
      this.#add(event, after, before, priority);
      return;
    }
    return Promise.all([after, before]).then(([now, then]) => this.#add(event, now, then, priority));
  }

  #passes({ predicates }: Source, event: InformerEvent): boolean {
    try {
      for (const predicate of predicates) if (!predicate(event)) return false;
    } catch (cause) {
      const message = `a predicate failed on the ${event.type} of ${event.key}, which is queued: ${reasonOf(cause)}`;
      this.#report('predicate-failed', message, event.key, cause);
    }
    return true;
  }

  /** Never throws or rejects: the keys of the other state are as good as ever. */
  #keysOf(source: Source, object: ObjectRef, event: InformerEvent): MappedKeys | Promise<MappedKeys> {
    try {
      const keys = source.map(object);
      return keys instanceof Promise ? keys.catch((cause) => this.#mappingFailed(event, cause)) : keys;
    } catch (cause) {
      return this.#mappingFailed(event, cause);
    }
  }

  /** Each key once: a second add would have it reconciled twice when a lane is free. */
  #add(event: InformerEvent, after: MappedKeys, before: MappedKeys, priority: number): void {
    try {
      for (const key of new Set([...listOf(after), ...listOf(before)])) {
        this.#options.add(checkKey(key), priority);
      }
    } catch (cause) {
      this.#mappingFailed(event, cause);
    }
  }

  #mappingFailed({ type, key }: InformerEvent, cause: unknown): undefined {
    const message = `it is not known which keys the ${type} of ${key} is about: ${reasonOf(cause)}`;
    this.#report('mapping-failed', message, key, cause);
  }

  #report(code: ControllerError['code'], message: string, key: string, cause: unknown): void {
    const { controller, onError } = this.#options;
    onError(new ControllerError(`${controller}: ${message}`, { code, controller, key, cause }));
  }
}

/** @throws UsageError when no object can have this key */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && /^([^/]+\/)?[^/]+$/.test(key)) return key;
  throw new UsageError(
    `a key is 'namespace/name', or 'name' for what is in no namespace, not ${JSON.stringify(key)}`,
  );
}
