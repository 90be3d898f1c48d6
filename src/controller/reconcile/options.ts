/** The options of a controller, their defaults and checks. */
import { type SharedInformer, UsageError } from '../../informer/index.ts';
import { describeResource } from '../../reflector/index.ts';
import type { Clock, RateLimiter } from '../../workqueue/index.ts';
import type { LeaderElectorOptions, LeaseClient } from '../leader-election/index.ts';
import { systemClock } from '../timing.ts';
import type { NamedInformers, ReconcileFunction } from './context.ts';
import type { QueueKind } from './key-queue.ts';
import type { ControllerMetricsProvider } from './metrics.ts';
import { checkPredicates, type Predicate } from './predicates.ts';
import { ownedSource, primarySource, type Source, type Watch } from './sources.ts';

// biome-ignore lint/suspicious/noExplicitAny: each informer has objects of its own type
type AnyInformer = SharedInformer<any>;

// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyOwned = Owned<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyWatch = Watch<any>;

/** Objects that were made for those that are reconciled, and name them as their controller in `ownerReferences`. */
export interface Owned<T = object> {
  readonly informer: SharedInformer<T>;
  /** An event has to pass all of them. @default all events pass */
  readonly predicates?: readonly Predicate<T>[];
}

/** How a controller stands for election: the options of a `LeaderElector`, and its requests. */
export interface ControllerElection extends Omit<LeaderElectorOptions, 'onStartedLeading'> {
  readonly client: LeaseClient;
}

/** Only `for` and `reconcile` are needed. */
export interface ControllerOptions<T = object, I extends NamedInformers = NamedInformers> {
  /** For errors and metrics. @default that of the resource, for example `widgets.example.com` */
  readonly name?: string;
  /** What is reconciled: each event of it queues its key. */
  readonly for: SharedInformer<T>;
  /** What was made for it: events queue the key of the owner. */
  readonly owns?: readonly (AnyInformer | AnyOwned)[];
  /** What else matters: events queue the keys that a function gives, see {@link watch}. */
  readonly watches?: readonly AnyWatch[];
  /** Which events of `for` matter: those that pass all of these. @default all */
  readonly predicates?: readonly Predicate<T>[];
  /** Caches that reconcile reads besides, by name. They have to be synced as well, and queue nothing. */
  readonly listers?: I;
  /**
   * The function that reconciles a key; or the URL of a module that exports it as `reconcile` or as its default, which
   * then runs in worker threads. No key is ever reconciled twice at a time.
   */
  readonly reconcile: ReconcileFunction<T, I> | URL;
  /**
   * Threads, when `reconcile` is a module. Each reconciles one key at a time. On Linux they have a lower priority than
   * the home thread.
   * @default 1
   */
  readonly threads?: number;
  /** Most keys that are reconciled at a time, when `reconcile` is a function. @default 1 */
  readonly concurrency?: number;
  /** @default 'priority' */
  readonly queue?: QueueKind;
  /** How long failed keys wait. @default what the queue has by default */
  readonly rateLimiter?: RateLimiter;
  /**
   * How often a key that fails is tried again before it is given up until something happens to it. `requeue` counts as
   * well: both have the same limiter.
   * @default for ever
   */
  readonly maxRetries?: number;
  /**
   * Time for one reconcile, in milliseconds. At its end the signal aborts, and the reconcile counts as failed however it
   * ends; the key is not tried again before that. A thread that goes on for another second is ended.
   * @default no limit
   */
  readonly reconcileTimeoutMs?: number;
  /**
   * Longest time that a key waits until the cache has what its last reconcile wrote and recorded, in milliseconds from
   * the write on; 0 not at all.
   * @default 5 s
   */
  readonly cacheWaitMs?: number;
  /** Longest time to wait for the caches at the start, in milliseconds. @default 2 min */
  readonly syncTimeoutMs?: number;
  /** Longest time to wait at the end for reconciles that run, in milliseconds. @default 30 s */
  readonly drainTimeoutMs?: number;
  /** Work only while leading. @default work at once */
  readonly leaderElection?: ControllerElection;
  /** Where metrics go. By default nothing is measured. */
  readonly metrics?: ControllerMetricsProvider;
  /** For tests. By default the process's monotonic clock. */
  readonly clock?: Clock;
  /** What the threads run instead of kubering's own module. For tests. @internal */
  readonly threadEntry?: URL;
}

/** As controller-runtime's `CacheSyncTimeout`. */
const DEFAULT_SYNC_TIMEOUT_MS = 120_000;
/** As controller-runtime's `GracefulShutdownTimeout`; a Pod has as much by default. */
const DEFAULT_DRAIN_TIMEOUT_MS = 30_000;
/** A watch brings a write in milliseconds; who has not seen it by then has a broken watch, or a selector. */
const DEFAULT_CACHE_WAIT_MS = 5_000;
/** The longest time of a timer in Node. */
const MAX_MS = 2 ** 31 - 1;
/** More threads than this is a mistake: each has a heap and a stack. */
const MAX_THREADS = 256;

/** Options with their defaults, checked. */
export interface ControllerPlan {
  readonly name: string;
  readonly primary: SharedInformer;
  readonly listers: Readonly<Record<string, SharedInformer>>;
  readonly sources: readonly Source[];
  /** All that have to be synced, each once. */
  readonly informers: readonly SharedInformer[];
  readonly reconcile: ReconcileFunction | URL;
  readonly concurrency: number;
  readonly queue: QueueKind;
  readonly rateLimiter: RateLimiter | undefined;
  readonly maxRetries: number;
  readonly reconcileTimeoutMs: number | undefined;
  readonly cacheWaitMs: number;
  readonly syncTimeoutMs: number;
  readonly drainTimeoutMs: number;
  readonly metrics: ControllerMetricsProvider | undefined;
  readonly clock: Clock;
  /** The user's, when there is one: the queue has a better default. */
  readonly queueClock: Clock | undefined;
  readonly threadEntry: URL | undefined;
}

/** @throws UsageError when an option is missing, out of range, or contradicts another one */
export function planController<T, I extends NamedInformers>(
  options: ControllerOptions<T, I>,
): ControllerPlan {
  const primary = informerOf('for', options.for);
  const listers = Object.entries(options.listers ?? {}).map(
    ([name, informer]) => [name, informerOf(`listers.${name}`, informer)] as const,
  );
  const sources = sourcesOf(options as unknown as ControllerOptions, primary);
  const { queue = 'priority', maxRetries = Number.POSITIVE_INFINITY, reconcileTimeoutMs } = options;
  if (queue !== 'priority' && queue !== 'fifo') {
    throw new UsageError(`queue is 'priority' or 'fifo', not ${JSON.stringify(queue)}`);
  }
  if (maxRetries !== Number.POSITIVE_INFINITY) checkWhole('maxRetries', maxRetries, 0);
  if (reconcileTimeoutMs !== undefined) checkMs('reconcileTimeoutMs', reconcileTimeoutMs, 1);
  const { cacheWaitMs = DEFAULT_CACHE_WAIT_MS, syncTimeoutMs = DEFAULT_SYNC_TIMEOUT_MS } = options;
  const { drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS } = options;
  checkMs('cacheWaitMs', cacheWaitMs, 0);
  checkMs('syncTimeoutMs', syncTimeoutMs, 1);
  checkMs('drainTimeoutMs', drainTimeoutMs, 0);
  const informers = [...sources.map(({ informer }) => informer), ...listers.map(([, informer]) => informer)];
  return {
    name: nameOf(options.name, primary),
    primary,
    listers: Object.fromEntries(listers),
    sources,
    informers: [...new Set(informers)],
    reconcile: options.reconcile as ReconcileFunction | URL,
    concurrency: concurrencyOf(options),
    queue,
    rateLimiter: options.rateLimiter,
    maxRetries,
    reconcileTimeoutMs,
    cacheWaitMs,
    syncTimeoutMs,
    drainTimeoutMs,
    metrics: options.metrics,
    clock: options.clock ?? systemClock(true),
    queueClock: options.clock,
    threadEntry: options.threadEntry,
  };
}

function sourcesOf(options: ControllerOptions, primary: SharedInformer): Source[] {
  const { owns = [], watches = [] } = options;
  const owned = owns.map((each, i) => {
    const { informer, predicates = [] } = isOwned(each) ? each : { informer: each };
    checkPredicates(predicates);
    return ownedSource(informerOf(`owns[${i}]`, informer), predicates, primary);
  });
  const watched = watches.map((each, i) => {
    const { informer, predicates = [] } = each;
    checkPredicates(predicates);
    if (typeof each.map !== 'function')
      throw new UsageError(`watches[${i}].map is a function that gives keys`);
    return { informer: informerOf(`watches[${i}].informer`, informer), predicates, map: each.map.bind(each) };
  });
  const predicates = options.predicates ?? [];
  checkPredicates(predicates);
  return [primarySource(primary, predicates), ...owned, ...watched];
}

function isOwned(owns: AnyInformer | AnyOwned): owns is AnyOwned {
  return typeof owns === 'object' && owns !== null && 'informer' in owns;
}

function informerOf(option: string, informer: unknown): SharedInformer {
  const { addEventHandler, lister } = (informer ?? {}) as Partial<SharedInformer>;
  if (typeof addEventHandler === 'function' && lister !== undefined) return informer as SharedInformer;
  throw new UsageError(`${option} is an informer: give what \`factory.informerFor\` returns`);
}

function nameOf(name: string | undefined, primary: SharedInformer): string {
  if (name === undefined) return describeResource(primary.resource);
  if (typeof name === 'string' && name !== '') return name;
  throw new UsageError(
    'name is a word for errors and metrics: leave it out to have it named after the resource',
  );
}

function concurrencyOf({
  reconcile,
  concurrency,
  threads,
}: Pick<ControllerOptions, 'concurrency' | 'threads'> & {
  reconcile: unknown;
}): number {
  if (reconcile instanceof URL) {
    if (concurrency !== undefined) {
      throw new UsageError(
        'concurrency is for a function: with a module, `threads` says how many keys at a time',
      );
    }
    if (threads !== undefined && threads > MAX_THREADS) {
      throw new UsageError(`threads is at most ${MAX_THREADS}, not ${threads}`);
    }
    return checkWhole('threads', threads ?? 1, 1);
  }
  if (typeof reconcile !== 'function') {
    throw new UsageError(`reconcile is a function or the URL of a module, not a ${typeof reconcile}`);
  }
  if (threads !== undefined) {
    throw new UsageError(
      'threads is for a module: give reconcile as new URL(…), because no function can be sent there',
    );
  }
  return checkWhole('concurrency', concurrency ?? 1, 1);
}

function checkWhole(option: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${option} is a whole number from ${least} on, not ${value}`);
}

function checkMs(option: string, value: number, least: number): void {
  if (value >= least && value <= MAX_MS) return;
  throw new UsageError(`${option} is a number of milliseconds from ${least} to ${MAX_MS}, not ${value}`);
}
