/** One resource's cache and its handlers: what Kubernetes calls a shared index informer. */
import { EventEmitter } from 'node:events';
import type { IndexSpec } from '../index/index.ts';
import { describeResource, type ReflectorNotice, type ResourceRef } from '../reflector/index.ts';
import { Announcer } from './announcer.ts';
import type { AuditOptions, AuditReport, AuditSeries } from './audit-types.ts';
import { Auditor } from './auditor.ts';
import { InformerCore } from './core.ts';
import { ErrorReports } from './error-reports.ts';
import { StoppedError, UsageError } from './errors.ts';
import type { InformerEvent } from './event.ts';
import { EventStream } from './event-stream.ts';
import type { Feed } from './feed.ts';
import type { InformerHandle } from './handle.ts';
import { type HandlerOptions, type HandlerPlan, planHandler } from './handler-options.ts';
import type { Handler } from './handlers.ts';
import type { InformerHealth } from './health.ts';
import { figuresOf, memoryOf } from './informer-figures.ts';
import type {
  EventStreamOptions,
  InformerEvents,
  InformerHost,
  InformerMemory,
  InformerStats,
} from './informer-types.ts';
import type { Lister } from './lister.ts';
import { mergeHealth } from './merged-health.ts';
import { ObjectEmitter } from './object-emitter.ts';
import type { InformerPlan } from './options.ts';
import type { Registration } from './registration.ts';
import { Registrations } from './registrations.ts';
import { Subscribers } from './subscription/index.ts';

/** Index functions get what the cache decodes, whatever its users call that. */
type IndexersOfObjects = Readonly<Record<string, IndexSpec>>;

/**
 * Made by `SharedInformerFactory.informerFor`. Shared by all who want this resource: one list and watch,
 * one cache, any number of handlers.
 * Source: `SharedIndexInformer` in client-go's `tools/cache/shared_informer.go`.
 */
export class SharedInformer<T = object> extends EventEmitter<InformerEvents<T>> {
  readonly resource: ResourceRef;
  /** Reads the cache. */
  readonly lister: Lister<T>;
  /** Resolves when the first list is in the cache; rejects with a StoppedError when it never will be. */
  readonly synced: Promise<void>;
  /** Resolves when the informer was stopped. */
  readonly closed: Promise<void>;

  readonly #what: string;
  readonly #host: InformerHost;
  readonly #core: InformerCore<T>;
  readonly #errors: ErrorReports<T>;
  readonly #announcer: Announcer<T>;
  readonly #registrations = new Registrations();
  readonly #streams = new Set<EventStream<T>>();
  readonly #subscribers: Subscribers<T>;
  readonly #objects: ObjectEmitter<T>;
  readonly #auditor: Auditor<T>;
  readonly #sync = Promise.withResolvers<void>();
  readonly #close = Promise.withResolvers<void>();
  #isStarted = false;
  #isStopped = false;
  #users = 0;

  /** @internal */
  constructor(plan: InformerPlan, host: InformerHost) {
    super({ captureRejections: true });
    // Many share it: more than ten listeners are no leak.
    this.setMaxListeners(0);
    this.resource = plan.resource;
    this.#what = describeResource(plan.resource);
    this.#host = host;
    this.synced = this.#sync.promise;
    this.closed = this.#close.promise;
    this.synced.catch(() => {});
    this.#announcer = new Announcer<T>(this as EventEmitter, () => this.health());
    this.#errors = new ErrorReports<T>(this.#what, (error, feed = this.feeds[0]!) => {
      feed.health.failed(error);
      this.#announcer.error(error);
    });
    this.#core = new InformerCore<T>(plan, host, {
      onReplaced: (feed) => this.#replaced(feed),
      onStoreError: (error, feed) => this.#errors.storeFailed(error, feed),
      onIndexError: (index, key, error) => this.#errors.indexFailed(index, key, error),
      onHandlerError: (error, event, { plan }) => this.#errors.handlerFailed(error, event, plan),
      // Whatever came shows that the server is heard again.
      onSettled: () => this.#announcer.health(),
    });
    this.lister = this.#core.lister;
    this.#auditor = new Auditor<T>({
      core: this.#core,
      prober: host.probe,
      seed: host.seed,
      clock: host.clock,
      random: Math.random,
      errors: this.#errors,
      synced: () => this.synced,
      onReport: (report) => this.#announcer.tell('audit', report),
    });
    this.#subscribers = new Subscribers<T>({
      register: (plan) => this.#register(plan),
      handlerFailed: (error, event, plan) => {
        this.#core.processor.handlerErrors++;
        // Its plan has no `onError`, which alone would look at more of the event.
        this.#errors.handlerFailed(error, event as InformerEvent<T>, plan);
      },
    });
    this.#objects = new ObjectEmitter<T>(this as EventEmitter, (handler) => this.addEventHandler(handler));
    this.#objects.listen();
  }

  /** True when the first list is in the cache. */
  get hasSynced(): boolean {
    return this.#core.hasSynced;
  }

  /** The same as {@link synced}, for those who ask whether they may start. */
  get ready(): Promise<void> {
    return this.synced;
  }

  /** It was started; also true when it was stopped since. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the cache can be trusted, what went wrong last, and what the reflector has been through. */
  health(): InformerHealth {
    return mergeHealth(this.feeds.map(({ health }) => health.health));
  }

  get stats(): InformerStats {
    return {
      ...figuresOf(this.#core),
      ...this.#auditor.figures,
      errors: this.#errors.count,
      state: this.health().state,
    };
  }

  /** Where its memory is. */
  memory(): InformerMemory {
    return memoryOf(this.#core);
  }

  /**
   * Starts this informer alone; `SharedInformerFactory.start` starts all.
   *
   * @returns {@link synced}
   * @throws UsageError when it was started already
   * @throws StoppedError when it was stopped
   */
  start(): Promise<void> {
    this.#refuseIfStopped();
    if (this.#isStarted) {
      throw new UsageError(`the informer of ${this.#what} was started already: wait for its \`synced\``);
    }
    this.#host.start();
    return this.synced;
  }

  /**
   * Registers a handler. It gets what exists as adds (`isInitial`), then every change, in order, one at a
   * time; when it returns a promise, the next event waits for it. A handler that throws or rejects is
   * reported as an `error` and counted; it gets the next event all the same.
   *
   * @throws UsageError when the handler is none, or an option is out of range
   * @throws StoppedError when the informer was stopped
   */
  addEventHandler(handler: Handler<T>, options?: HandlerOptions<T>): Registration {
    this.#refuseIfStopped();
    return this.#register(planHandler(handler, options));
  }

  /**
   * The same as `registration.remove()`. Harmless when it was removed already.
   *
   * @throws UsageError when it is not a registration of this informer
   */
  removeEventHandler(registration: Registration): Promise<void> {
    if (!this.#registrations.has(registration)) {
      throw new UsageError(
        `this is no registration of the informer of ${this.#what}: give what its addEventHandler returned`,
      );
    }
    return registration.remove();
  }

  /**
   * The events for a `for await` loop, those of what exists first. The loop is a handler: an event can be read until
   * the next one is asked for, and a slow loop gets merged events, see `HandlerOptions.backlogLimit`. Ends with the
   * signal, with the loop, and with the informer.
   *
   * @throws as {@link addEventHandler}
   */
  events({ signal, ...options }: EventStreamOptions<T> = {}): EventStream<T> {
    const register = (handler: Handler<T>) => this.addEventHandler(handler, options);
    const stream = new EventStream<T>(register, signal, (ended) => this.#streams.delete(ended));
    if (!stream.isEnded) this.#streams.add(stream);
    return stream;
  }

  /**
   * Adds indexes while the informer runs: field paths, which are then followed on this thread through the bytes of each
   * object, or functions. Objects that are there are indexed in slices; before that is done, the new indexes can't be
   * asked (`IndexNotReadyError`). All are added, or none when one can't be.
   *
   * @returns a promise that resolves when the indexes have all objects, at once when there are none; it rejects with an
   * `IndexerFullError` when there is no room for them, and with a `StoppedError` when the informer is stopped before
   * @throws DuplicateIndexError when there is an index of one of the names
   * @throws FieldPathError when a path is wrong, or leads to what `project` leaves out
   * @throws FieldOptionsError when a name is wrong, or an index is neither a path nor a function
   * @throws StoppedError when the informer was stopped
   */
  addIndexers(indexers: Readonly<Record<string, IndexSpec<T>>>): Promise<void> {
    this.#refuseIfStopped();
    return this.#core.indexes.add(indexers as IndexersOfObjects);
  }

  /** As {@link addIndexers}, without those that are there in the same form. @internal */
  ensureIndexers(indexers: Readonly<Record<string, IndexSpec<T>>>): Promise<void> {
    this.#refuseIfStopped();
    return this.#core.indexes.ensure(indexers as IndexersOfObjects);
  }

  /**
   * Removes an index. Nobody can ask it from now on; its memory is given back in slices.
   *
   * @throws UnknownFieldError when there is no such index
   * @throws UsageError for the index `namespace`, which every informer has
   */
  removeIndexer(name: string): void {
    this.#core.indexes.remove(name);
  }

  /**
   * For other threads: post it to a worker, and read the cache there with `Lister.attach(handle)`, which can subscribe
   * to events, too. Nothing is copied.
   *
   * @throws StoppedError when the informer was stopped
   */
  handle(): InformerHandle {
    this.#refuseIfStopped();
    const handle = this.#core.handle();
    this.#subscribers.admit(handle.store.channel);
    return handle;
  }

  /**
   * Waits until everything up to a resourceVersion is in the cache, for example that of an object that you just wrote.
   *
   * @param options - `signal` ends the wait, with its reason
   * @returns a promise that rejects with a `StoppedError` when the informer is stopped before
   * @throws UsageError (as a rejection) when it is no decimal number, which all resourceVersions of API servers are
   */
  async atLeast(resourceVersion: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#refuseIfStopped();
    if (!/^[0-9]+$/.test(resourceVersion)) {
      throw new UsageError(
        `${JSON.stringify(resourceVersion)} is no resourceVersion, which is a decimal number`,
      );
    }
    await this.#core.versionWaiters.wait(resourceVersion, signal);
  }

  /**
   * Compares the cache with the API server: a list of metadata alone, as of one version, with what the cache had when it
   * was there. What looks different is asked for once more, so that an object that changed meanwhile is never taken for a
   * wrong one. What was wrong is reported (event `audit`, an `error` with the code `drift`, `stats`), and put right, so
   * that handlers are told of it as of any change.
   *
   * It burdens the API server with a list of metadata, and this thread with some microseconds per object, in slices.
   * With `every`, audits come again and again; without, the promise resolves when one is over. Audits of an informer
   * run one after the other.
   *
   * @throws UsageError when an option is out of range, or the informer has a `listerWatcher`
   * @throws StoppedError when the informer was stopped; as a rejection when it is stopped meanwhile
   */
  audit(options: AuditOptions & { readonly every: number }): AuditSeries;
  audit(options?: AuditOptions): Promise<AuditReport>;
  audit(options: AuditOptions = {}): Promise<AuditReport> | AuditSeries {
    this.#refuseIfStopped();
    const { every } = options;
    return every === undefined ? this.#auditor.once(options) : this.#auditor.series({ ...options, every });
  }

  /**
   * Ends this informer alone and gives its memory back: its lister is empty afterwards, its handlers get
   * nothing more. The factory makes a new one when asked for the resource again. Harmless when called twice.
   */
  stop(): Promise<void> {
    return this.#host.stop();
  }

  /**
   * Gives one use back: `informerFor` counts one each time that it gives this informer. When nobody uses it any more
   * it is stopped.
   *
   * @returns a promise that resolves when it has stopped, at once when others use it
   */
  release(): Promise<void> {
    this.#users--;
    return this.#users > 0 ? Promise.resolve() : this.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  override removeAllListeners(name?: keyof InformerEvents<T>): this {
    if (name === undefined) super.removeAllListeners();
    else super.removeAllListeners(name);
    if (name === undefined) this.#objects.listen();
    return this;
  }

  /** Somebody was given this informer. @internal */
  acquire(): void {
    this.#users++;
  }

  /** Notes how long handlers take from now on. Harmless when called again. @internal */
  timeHandlers(): void {
    this.#core.timeHandlers();
  }

  /** Its reflectors run. @internal */
  started(): void {
    this.#isStarted = true;
    this.#core.resync.start();
  }

  /** A reflector tells something. @internal */
  notice(notice: ReflectorNotice, feed: Feed<T> = this.feeds[0]!): void {
    if (notice.type === 'state') {
      feed.health.state = notice.state;
      this.#announcer.tell('state', notice.state);
      if (notice.state === 'watching') this.#announcer.tell('connect');
      this.#announcer.health();
    } else if (notice.type === 'progress') {
      const { items, remaining } = notice;
      this.#announcer.tell('progress', remaining === undefined ? { items } : { items, remaining });
    } else {
      this.#errors.report(notice.code, notice.message, notice, feed);
    }
  }

  /** Nothing is delivered afterwards; what is in the cache can still be read. @internal */
  stopped(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#core.resync.stop();
    this.#core.indexes.stop();
    this.#auditor.stop(
      new StoppedError(`the informer of ${this.#what} was stopped before the audit was over`),
    );
    for (const { health } of this.feeds) health.state = 'stopped';
    for (const stream of [...this.#streams]) stream.end();
    this.#subscribers.stop();
    this.#registrations.removeAll();
    this.#close.resolve();
    this.#core.versionWaiters.end(
      new StoppedError(
        `the informer of ${this.#what} was stopped before its cache had the version that was asked for`,
      ),
    );
    this.#announcer.health();
    this.#sync.reject(new StoppedError(`the informer of ${this.#what} was stopped before it had synced`));
  }

  /** Gives all blocks back; the cache is empty afterwards. @internal */
  discard(): void {
    this.#core.discard();
  }

  /** What its reflectors bring: one, or one for each namespace. @internal */
  get feeds(): readonly Feed<T>[] {
    return this.#core.feeds;
  }

  /** An async listener rejected. Called by the emitter. @internal */
  [Symbol.for('nodejs.rejection')](error: unknown, name: unknown): void {
    this.#errors.listenerFailed(String(name), error);
  }

  #register(plan: HandlerPlan<T>): Registration {
    const listener = this.#core.add(plan);
    return this.#registrations.add(listener, this.synced, () => this.#core.processor.remove(listener));
  }

  #refuseIfStopped(): void {
    if (!this.#isStopped) return;
    throw new StoppedError(`the informer of ${this.#what} was stopped: ask the factory for another one`);
  }

  #replaced({ health }: Feed<T>): void {
    if (this.#isStopped || health.hasSynced) return;
    health.hasSynced = true;
    if (this.hasSynced) {
      this.#sync.resolve();
      this.#announcer.tell('synced');
    }
    this.#announcer.health();
  }
}
