/** client-node's `ListWatch` on top of the engine. */
import type {
  ErrorCallback,
  Informer,
  KubernetesObject,
  ListPromise,
  ObjectCache,
  ObjectCallback,
  Watch,
} from '@kubernetes/client-node';
import type { SharedInformer } from '../informer/index.ts';
import { type AnyCallback, Callbacks, type PublicVerb } from './callbacks.ts';
import { CompatError } from './errors.ts';
import type { CompatOptions } from './options.ts';
import { Session } from './session.ts';
import { sourceOf, type Watched } from './source.ts';
import { ToldObjects } from './told-objects.ts';
import { typedObject } from './typed-objects.ts';

/**
 * In place of client-node's class of the same name: same constructor, methods, events and order of events. It never
 * dies: `error` is information, and `start()` on a running one does no harm. `docs/migrating-from-client-node.md` lists
 * what is different.
 * Source: `ListWatch` in client-node 2.0.1's `src/cache.ts`.
 */
export class ListWatch<T extends KubernetesObject> implements ObjectCache<T>, Informer<T> {
  readonly #watched: Watched<T>;
  readonly #callbacks = new Callbacks<T>();
  readonly #told = new ToldObjects<T>();
  readonly #typed = new WeakMap<T, T>();
  #session: Session<T> | undefined;
  #lastVersion = '';

  /**
   * @param path - for example `/api/v1/namespaces/web/pods`. One that the engine does not know, or a `watch` that is not
   * client-node's own, is watched through `watch` and listed through `listFn`
   * @param watch - says by its KubeConfig where the API server is
   * @param listFn - not called when the engine knows the path
   * @param autoStart - start now
   */
  constructor(
    path: string,
    watch: Watch,
    listFn: ListPromise<T>,
    autoStart = true,
    labelSelector?: string,
    fieldSelector?: string,
    options: CompatOptions = {},
  ) {
    this.#watched = { path, watch, listFn, labelSelector, fieldSelector, options };
    if (autoStart) void this.start();
  }

  /**
   * Starts to list and watch. Harmless when it runs: then the next error is told again.
   *
   * @returns a promise that resolves when callbacks were told of all objects, or when a try failed and `error` was
   * called; the informer tries again in any case
   */
  async start(): Promise<void> {
    for (const callback of this.#callbacks.of('connect') as ErrorCallback[]) callback(undefined);
    this.#session ??= this.#open();
    await this.#session.start();
  }

  /**
   * Ends it: no callback is called afterwards, `error` neither. What is in the cache can still be read, and `start`
   * goes on from there.
   *
   * @returns a promise that resolves when connections are closed, and threads that nobody else uses have ended
   */
  async stop(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    this.#lastVersion = session.informer.lister.resourceVersion;
    try {
      this.#told.detach(session.isLastOfEngine);
    } finally {
      await session.stop();
    }
  }

  on(verb: 'add' | 'update' | 'delete' | 'change', callback: ObjectCallback<T>): void;
  on(verb: 'error' | 'connect', callback: ErrorCallback): void;
  on(verb: PublicVerb, callback: AnyCallback<T>): void {
    this.#callbacks.on(verb, callback);
  }

  off(verb: 'add' | 'update' | 'delete' | 'change', callback: ObjectCallback<T>): void;
  off(verb: 'error' | 'connect', callback: ErrorCallback): void;
  off(verb: PublicVerb, callback: AnyCallback<T>): void {
    this.#callbacks.off(verb, callback);
  }

  get(name: string, namespace?: string): T | undefined {
    const object = this.#told.get(name, namespace);
    return object && this.#view(object);
  }

  /** All objects, or those of one namespace, in no order. Decodes each. */
  list(namespace?: string): ReadonlyArray<T> {
    return this.#told.list(namespace).map((object) => this.#view(object));
  }

  /** Up to this version everything is in the cache; '' before the first list. */
  latestResourceVersion(): string {
    return this.#session?.informer.lister.resourceVersion || this.#lastVersion;
  }

  /** What does the work while it runs: for `health()`, indexes, and a move to kubering's own interface in steps. */
  get sharedInformer(): SharedInformer<T> | undefined {
    return this.#session?.informer;
  }

  #open(): Session<T> {
    const session: Session<T> = new Session<T>(sourceOf(this.#watched), {
      onEvent: (event) => {
        const verb = this.#told.take(event);
        if (verb !== undefined) this.#tell(verb, event.key, () => event.object);
      },
      onSynced: () => this.#told.settle((key, object) => this.#tell('delete', key, () => object)),
      onError: (error) => this.#fail(error),
      onRecovered: () => {
        for (const callback of this.#callbacks.of('connect'))
          this.#call(() => (callback as ErrorCallback)(undefined));
      },
    });
    this.#told.attach(session.informer.lister);
    return session;
  }

  /** Nobody awaits what callbacks return: as in client-node, a promise is its maker's. */
  #tell(verb: 'add' | 'update' | 'delete', key: string, objectOf: () => T): void {
    if (!this.#callbacks.has(verb)) return;
    try {
      const object = this.#view(objectOf());
      for (const callback of this.#callbacks.of(verb) as ObjectCallback<T>[]) {
        this.#call(() => callback(object), `a callback for '${verb}' failed on ${key}`);
      }
    } catch (cause) {
      this.#fail(
        new CompatError(`${key} can't be decoded: ${reasonOf(cause)}`, { code: 'bad-object', cause }),
      );
    }
  }

  #call(callback: () => void, what = "a callback for 'connect' failed"): void {
    try {
      callback();
    } catch (cause) {
      const error = new CompatError(`${what}: ${reasonOf(cause)}`, { code: 'callback-failed', cause });
      if (this.#callbacks.has('error')) this.#fail(error);
      else reject(cause);
    }
  }

  #fail(error: CompatError): void {
    for (const callback of this.#callbacks.of('error') as ErrorCallback[]) {
      try {
        callback(error);
      } catch (cause) {
        reject(cause);
      }
    }
  }

  #view(object: T): T {
    if (this.#watched.options.typedObjects !== true) return object;
    const known = this.#typed.get(object);
    if (known !== undefined) return known;
    const typed = typedObject(object);
    this.#typed.set(object, typed);
    return typed;
  }
}

/** Nobody is there to be told: an unhandled rejection, as in client-node. */
function reject(cause: unknown): void {
  void Promise.reject(cause);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
