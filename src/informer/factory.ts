/** Makes informers that share workers, memory and credentials, and starts and stops them together. */
import { randomBytes } from 'node:crypto';
import type { KubeConfig } from '@kubernetes/client-node';
import type { HashSeed } from '../layout/key-hash.ts';
import { MAX_RECORDS, MIN_RECORDS } from '../layout/ring.ts';
import { describeResource, type ResourceRef } from '../reflector/index.ts';
import { SegmentTable } from '../store/index.ts';
import { CredentialsBroker } from '../transport/index.ts';
import { StoppedError, UsageError } from './errors.ts';
import type { Fleet } from './fleet.ts';
import { Hosts } from './hosts.ts';
import { SharedInformer } from './informer.ts';
import { type InformerOptions, type InformerPlan, isSameOptions, planInformer } from './options.ts';
import { Pump } from './pump.ts';

/** All fields are optional. */
export interface FactoryOptions {
  /**
   * Worker threads that list and watch. One keeps up with tens of thousands of events a second; informers
   * are spread over them.
   * @default 1
   */
  readonly workers?: number;
  /** Ends the factory, as `stop` does. */
  readonly signal?: AbortSignal;
  /**
   * Most bytes of object bodies, over all workers; those of `listerWatcher` sources may have as much as one
   * worker besides. At the limit informers keep what they have, say so, and try again slowly.
   * @default 4 GiB
   */
  readonly memoryLimitBytes?: number;
  /**
   * Changes that may wait between a worker and this thread, a power of two. More than that, and the worker
   * stops reading from its sockets.
   * @default 4096
   */
  readonly ringRecords?: number;
  /** Longest random delay before the first request of each informer, in milliseconds. @default 0 */
  readonly startJitterMs?: number;
  /**
   * Silence on a socket after which TCP probes whether the API server is still there, in milliseconds; 0 never.
   * @default 30 s
   */
  readonly tcpKeepAliveMs?: number;
}

/** Figures of a factory. */
export interface FactoryStats {
  /** Shared memory in bytes: bodies, tables, indexes, rings. */
  readonly sharedBytes: number;
  /** Of these, the memory of object bodies. */
  readonly arenaBytes: number;
  readonly objects: number;
  /** Changes taken from the rings so far. */
  readonly records: number;
  /** Fill of the fullest ring, from 0 to 1. */
  readonly ringFill: number;
  /** Slices of work on this thread so far. */
  readonly slices: number;
  /** The longest of them in milliseconds on the clock: other threads may have had the core meanwhile. */
  readonly longestSliceMs: number;
  /** The longest in milliseconds of this thread's CPU time (of time on the clock before Node 23.9). */
  readonly longestSliceCpuMs: number;
}

const DEFAULT_MEMORY_LIMIT_BYTES = 4 * 1024 ** 3;
const DEFAULT_RING_RECORDS = 4096;
/** Threads beyond this would wait for each other at the one home thread. */
const MAX_WORKERS = 64;

interface Member {
  readonly informer: SharedInformer;
  readonly plan: InformerPlan;
  readonly source: number;
  isStarted: boolean;
}

/**
 * Source: `SharedInformerFactory` in client-go's `informers/factory.go`.
 *
 * ```ts
 * const factory = new SharedInformerFactory(kubeConfig);
 * const pods = factory.informerFor<V1Pod>({ group: '', version: 'v1', resource: 'pods' });
 * await factory.start();
 * ```
 */
export class SharedInformerFactory {
  readonly #seed: HashSeed = makeSeed();
  readonly #segments = new SegmentTable();
  readonly #broker = new CredentialsBroker();
  readonly #pump: Pump;
  readonly #hosts: Hosts;
  readonly #members = new Map<string, Member>();
  readonly #bySource = new Map<number, Member>();
  readonly #releaseSignal: () => void;
  readonly #startJitterMs: number;
  #nextSource = 1;
  #stopping: Promise<void> | undefined;

  /**
   * @param kubeConfig - of @kubernetes/client-node, loaded: says where the API server is and who is asking
   * @throws UsageError when an option is out of range
   */
  constructor(kubeConfig: KubeConfig, options: FactoryOptions = {}) {
    const { workers = 1, memoryLimitBytes = DEFAULT_MEMORY_LIMIT_BYTES } = options;
    const { ringRecords = DEFAULT_RING_RECORDS, startJitterMs = 0, signal } = options;
    checkOptions(workers, memoryLimitBytes, ringRecords);
    this.#startJitterMs = startJitterMs;
    const now = () => performance.now();
    this.#pump = new Pump({ segments: this.#segments, now, cpuMs: threadCpuMs });
    this.#hosts = new Hosts({
      workers,
      ringRecords,
      arenaLimitBytes: Math.floor(memoryLimitBytes / workers),
      tcpKeepAliveMs: options.tcpKeepAliveMs,
      segments: this.#segments,
      seed: this.#seed,
      pump: this.#pump,
      connect: (refresh) => this.#broker.connectionInfo(kubeConfig, refresh),
      onNotice: (source, notice) => this.#bySource.get(source)?.informer.notice(notice),
    });
    const onAbort = () => void this.stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#releaseSignal = () => signal?.removeEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  }

  /**
   * The informer of a resource. Asked again for the same resource, namespace and selectors, it gives the
   * same informer; options other than at the first time are an error.
   *
   * @throws UsageError, FieldPathError, InvalidResourceError when the options can't be used
   * @throws StoppedError when the factory was stopped
   */
  informerFor<T = object>(resource: ResourceRef, options?: InformerOptions): SharedInformer<T> {
    if (this.#stopping !== undefined) throw new StoppedError('the factory was stopped: make another one');
    const { group, version, resource: plural, namespace } = resource;
    const { labelSelector, fieldSelector } = options ?? {};
    const id = JSON.stringify([group, version, plural, namespace, labelSelector, fieldSelector]);
    const known = this.#members.get(id);
    if (known !== undefined) {
      if (options !== undefined && !isSameOptions(options, known.plan.options)) {
        const what = describeResource(resource);
        throw new UsageError(
          `there is an informer of ${what} with other options: ask for it without options, or with the same`,
        );
      }
      return known.informer as unknown as SharedInformer<T>;
    }
    return this.#addMember(id, planInformer(resource, options ?? {}))
      .informer as unknown as SharedInformer<T>;
  }

  /**
   * Starts all informers that do not run yet.
   *
   * @returns a promise that resolves when the caches of all have synced; it waits while the API server can't
   * be reached (see the informers' `error` events), and rejects with a StoppedError when the factory stops
   */
  async start(): Promise<void> {
    if (this.#stopping !== undefined) throw new StoppedError('the factory was stopped: make another one');
    for (const member of this.#members.values()) {
      if (!member.isStarted) this.#startMember(member);
    }
    await this.waitForCacheSync();
  }

  /** Resolves when the caches of all informers so far have synced; rejects as `start` does. */
  async waitForCacheSync(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ informer }) => informer.synced));
  }

  /** Ends all informers, closes connections and ends the threads. Caches can still be read. Harmless again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get stats(): FactoryStats {
    const informers = [...this.#members.values()].map(({ informer }) => informer.stats);
    const indexBytes = sum(informers.map((stats) => stats.indexBytes));
    const { ringBytes } = this.#hosts;
    const { slices, longestSliceMs, longestSliceCpuMs, records, ringFill } = this.#pump;
    return {
      sharedBytes: this.#segments.bytes + indexBytes + ringBytes,
      arenaBytes: this.#segments.bytes,
      objects: sum(informers.map((stats) => stats.objects)),
      records,
      ringFill,
      slices,
      longestSliceMs,
      longestSliceCpuMs,
    };
  }

  #addMember(id: string, plan: InformerPlan): Member {
    const source = this.#nextSource++;
    const informer = new SharedInformer(plan, {
      segments: this.#segments,
      seed: this.#seed,
      now: () => performance.now(),
      release: (ref) => this.#hosts.release(ref),
      stop: () => this.#stopMember(id, source),
    });
    const member: Member = { informer, plan, source, isStarted: false };
    this.#members.set(id, member);
    this.#bySource.set(source, member);
    return member;
  }

  #startMember(member: Member): void {
    const { plan, source } = member;
    const { labelSelector, fieldSelector, watchIdleMs, listerWatcher } = plan.options;
    const { initialList, metadataOnly, compression } = plan.options;
    member.isStarted = true;
    this.#pump.addConsumer(source, member.informer);
    const spec = {
      source,
      resource: plan.resource,
      pageLimit: plan.pageLimit,
      scan: plan.scan,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(watchIdleMs !== undefined && { watchIdleMs }),
      ...(initialList !== undefined && { initialList }),
      ...(metadataOnly !== undefined && { metadataOnly }),
      ...(compression !== undefined && { compression }),
      startJitterMs: this.#startJitterMs,
      ...member.informer.statusRow,
    };
    this.#hosts.startReflector(spec, listerWatcher);
  }

  async #stopMember(id: string, source: number): Promise<void> {
    const member = this.#bySource.get(source);
    if (member === undefined || this.#stopping !== undefined) return this.#stopping;
    this.#bySource.delete(source);
    this.#members.delete(id);
    member.informer.stopped();
    this.#pump.removeConsumer(source);
    await this.#hosts.stopReflector(source);
    member.informer.discard();
    this.#hosts.flush();
  }

  /** The threads behind the informers. For tests. @internal */
  get fleet(): Fleet | undefined {
    return this.#hosts.fleet;
  }

  async #stop(): Promise<void> {
    this.#releaseSignal();
    this.#pump.stop();
    for (const { informer, source } of this.#members.values()) {
      this.#pump.removeConsumer(source);
      informer.stopped();
    }
    await this.#hosts.close();
  }
}

function checkOptions(workers: number, memoryLimitBytes: number, ringRecords: number): void {
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS) {
    throw new UsageError(`workers is a whole number from 1 to ${MAX_WORKERS}, not ${workers}`);
  }
  const smallest = 16 * 1024 * 1024;
  if (!(memoryLimitBytes >= smallest * workers)) {
    throw new UsageError(`memoryLimitBytes is at least 16 MiB per worker, not ${memoryLimitBytes}`);
  }
  const isPowerOfTwo = (ringRecords & (ringRecords - 1)) === 0;
  if (!isPowerOfTwo || ringRecords < MIN_RECORDS || ringRecords > MAX_RECORDS) {
    throw new UsageError(
      `ringRecords is a power of two from ${MIN_RECORDS} to ${MAX_RECORDS}, not ${ringRecords}`,
    );
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
