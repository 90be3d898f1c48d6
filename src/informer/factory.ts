/** Makes informers that share workers, memory and credentials, and starts and stops them together. */
import { randomBytes } from 'node:crypto';
import type { KubeConfig } from '@kubernetes/client-node';
import type { HashSeed } from '../layout/key-hash.ts';
import type { Clock, ResourceRef } from '../reflector/index.ts';
import { SegmentTable } from '../store/index.ts';
import { CredentialsBroker } from '../transport/index.ts';
import { BuiltInAccessors, type Typed } from '../types/index.ts';
import { CacheSyncError, type CacheSyncOptions, type CacheSyncResult, waitForCaches } from './cache-sync.ts';
import { StoppedError } from './errors.ts';
import { type FactoryOptions, type FactoryStats, planFactory } from './factory-options.ts';
import type { Fleet } from './fleet.ts';
import { Hosts } from './hosts.ts';
import type { SharedInformer } from './informer.ts';
import { Members } from './members.ts';
import { type InformerOptions, planInformer } from './options.ts';
import { Pump } from './pump.ts';
import { checkSameOptions, type InformerDefaults, informerId, resolveOptions } from './resolve-options.ts';

/** Resyncs never keep a process alive: their informers do. */
const systemClock: Clock = {
  now: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Source: `SharedInformerFactory` in client-go's `informers/factory.go`.
 *
 * ```ts
 * const factory = new SharedInformerFactory(kubeConfig);
 * const pods = factory.informerFor<V1Pod>({ group: '', version: 'v1', resource: 'pods' });
 * await factory.start();
 * ```
 */
export class SharedInformerFactory extends BuiltInAccessors {
  readonly #seed: HashSeed = makeSeed();
  readonly #segments = new SegmentTable();
  readonly #broker = new CredentialsBroker();
  readonly #pump: Pump;
  readonly #hosts: Hosts;
  readonly #members: Members;
  readonly #defaults: InformerDefaults;
  readonly #releaseSignal: () => void;
  /** Of the clusters by number: the factory's own first. */
  readonly #kubeConfigs: KubeConfig[];
  #stopping: Promise<void> | undefined;

  /**
   * @param kubeConfig - of @kubernetes/client-node, loaded: says where the API server is and who is asking
   * @throws UsageError when an option is out of range
   */
  constructor(kubeConfig: KubeConfig, options: FactoryOptions = {}) {
    super();
    const { workers, memoryLimitBytes, ringRecords, workerHeapBytes, startJitterMs } = planFactory(options);
    const { credentialsTimeoutMs, signal } = options;
    this.#defaults = options;
    this.#kubeConfigs = [kubeConfig];
    this.#pump = new Pump({ segments: this.#segments, now: systemClock.now, cpuMs: threadCpuMs });
    this.#members = new Members({
      seed: this.#seed,
      segments: this.#segments,
      pump: this.#pump,
      hosts: () => this.#hosts,
      clusterOf: (plan) => this.#clusterOf(plan.options.kubeConfig),
      clock: systemClock,
      startJitterMs,
    });
    this.#hosts = new Hosts({
      workers,
      ringRecords,
      arenaLimitBytes: Math.floor(memoryLimitBytes / workers),
      tcpKeepAliveMs: options.tcpKeepAliveMs,
      heapLimitBytes: workerHeapBytes,
      entry: options.workerEntry,
      segments: this.#segments,
      seed: this.#seed,
      pump: this.#pump,
      connect: (cluster, refresh) =>
        this.#broker.connectionInfo(this.#kubeConfigs[cluster]!, refresh, {
          pluginLimitMs: credentialsTimeoutMs,
        }),
      unref: options.unref ?? false,
      onNotice: (source, notice) => this.#members.notice(source, notice),
    });
    const onAbort = () => void this.stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#releaseSignal = () => signal?.removeEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  }

  /**
   * The informer of a resource. Asked again for the same resource, namespaces, selectors and view, it gives the same
   * informer and adds the `indexers` that it does not have yet. Who asks without options takes it as it is; a
   * projection, columns or other options that are not those of the first time are an error, or a `view`.
   *
   * Each call counts as one use, see `SharedInformer.release`.
   *
   * @throws UsageError, FieldPathError, DuplicateIndexError, InvalidResourceError when the options can't be used
   * @throws StoppedError when the factory was stopped
   */
  override informerFor<T = object>(
    resource: ResourceRef & Typed<T>,
    options?: InformerOptions<T>,
  ): SharedInformer<T> {
    this.#refuseIfStopped();
    const resolved = resolveOptions(resource, options as InformerOptions, this.#defaults);
    const id = informerId(resource, resolved, this.#clusterOf(resolved.kubeConfig));
    let member = this.#members.find(id);
    if (member === undefined) {
      member = this.#members.add(id, planInformer(resource, resolved));
    } else if (options !== undefined) {
      checkSameOptions(resource, resolved, member.plan.options);
      // Until they have all objects, who asks them gets an error: nobody has to wait here.
      void member.informer.ensureIndexers(resolved.indexers ?? {});
    }
    member.informer.acquire();
    return member.informer as unknown as SharedInformer<T>;
  }

  /**
   * Starts all informers that do not run yet: to be called again when there are new ones.
   *
   * @returns a promise that resolves when the caches of all have synced; it waits while the API server can't
   * be reached (see the informers' `error` events), and rejects with a StoppedError when the factory stops
   * @throws CacheSyncError when it is not waited any longer: its `results` say why for each
   */
  async start(options?: CacheSyncOptions): Promise<void> {
    this.#refuseIfStopped();
    this.#members.startAll();
    const results = await this.waitForCacheSync(options);
    if (results.every(({ synced }) => synced)) return;
    const stopped = results.find(({ informer, synced }) => informer.isStopped && !synced);
    if (stopped === undefined) throw new CacheSyncError(results);
    throw new StoppedError(`the informer of ${stopped.resource} was stopped before it had synced`);
  }

  /**
   * Waits for the caches of all informers so far.
   *
   * @returns for each whether it is synced, and if not, why; after `signal`, `timeoutMs` or `failFast` some are not,
   * nor are those that were stopped
   */
  waitForCacheSync(options?: CacheSyncOptions): Promise<CacheSyncResult[]> {
    return waitForCaches(this.#members.informers, options);
  }

  /** Ends all informers, closes connections and ends the threads. Caches can still be read. Harmless again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The same as {@link stop}, under the name that it has in client-go. */
  shutdown(): Promise<void> {
    return this.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Those that it made and that nobody has stopped, in the order in which they were made. */
  get informers(): readonly SharedInformer[] {
    return this.#members.informers;
  }

  get stats(): FactoryStats {
    const informers = this.#members.informers.map(({ stats }) => stats);
    const indexBytes = sum(informers.map((stats) => stats.indexBytes));
    const { ringBytes } = this.#hosts;
    const { slices, longestSliceMs, longestSliceCpuMs, records, ringFill } = this.#pump;
    const { usedBytes: dictionaryBytes, size: dictionaries } = this.#segments.dictionaries;
    const { arenas } = this.#hosts;
    const { structureBytes } = this.#segments;
    return {
      sharedBytes: this.#segments.bytes + structureBytes + dictionaryBytes + indexBytes + ringBytes,
      arenaBytes: this.#segments.bytes,
      arenaUsedBytes: sum(arenas.map(({ usedBytes }) => usedBytes)),
      movedBlocks: sum(arenas.map(({ movedBlocks }) => movedBlocks)),
      movedBytes: sum(arenas.map(({ movedBytes }) => movedBytes)),
      structureBytes,
      dictionaryBytes,
      dictionaries,
      objects: sum(informers.map((stats) => stats.objects)),
      records,
      ringFill,
      slices,
      longestSliceMs,
      longestSliceCpuMs,
    };
  }

  /** The threads behind the informers. For tests. @internal */
  get fleet(): Fleet | undefined {
    return this.#hosts.fleet;
  }

  async #stop(): Promise<void> {
    this.#releaseSignal();
    this.#pump.stop();
    this.#members.close();
    await this.#hosts.close();
  }

  /** Number of a cluster among those that the informers are of. */
  #clusterOf(kubeConfig: KubeConfig | undefined): number {
    if (kubeConfig === undefined) return 0;
    const known = this.#kubeConfigs.indexOf(kubeConfig);
    return known === -1 ? this.#kubeConfigs.push(kubeConfig) - 1 : known;
  }

  #refuseIfStopped(): void {
    if (this.#stopping !== undefined) throw new StoppedError('the factory was stopped: make another one');
  }
}

/** Node knows the CPU time of one thread since 23.9; before, time on the clock is the closest. */
function threadCpuMs(): number {
  if (process.threadCpuUsage === undefined) return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function makeSeed(): HashSeed {
  const bytes = randomBytes(8);
  return { lo: bytes.readInt32LE(0), hi: bytes.readInt32LE(4) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
