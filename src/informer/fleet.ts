/**
 * The workers of a factory and who runs where. A worker that dies is replaced by another one with another
 * number, a ring and an arena of its own; its reflectors start anew there and list again, and the home thread
 * drops what is unchanged. What the dead one had put on its ring is still read, and its memory goes when the
 * last block of it is replaced.
 */
import type { HashSeed } from '../layout/key-hash.ts';
import type { ReflectorNotice } from '../reflector/index.ts';
import {
  type ArenaFigures,
  type BlockRef,
  readFigures,
  SEGMENT_INDEX_BITS,
  type SegmentTable,
} from '../store/index.ts';
import type { ConnectionInfo } from '../transport/index.ts';
import {
  HostPool,
  type HostPoolOptions,
  type Ports,
  type ProbeRequest,
  type ProbeResult,
  type ReflectorSpec,
  threadPorts,
  WorkerLink,
} from '../worker/index.ts';
import type { Pump } from './pump.ts';

/** A worker that lived for less is replaced later and later, so that a crash at the start is not a loop. */
const STEADY_WORKER_MS = 60_000;
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;

export interface FleetOptions {
  readonly workers: number;
  readonly ringRecords: number;
  /** Most bytes of the arena of each worker. */
  readonly arenaLimitBytes: number;
  readonly tcpKeepAliveMs: number | undefined;
  /** Most bytes of the heap of each worker. */
  readonly heapLimitBytes: number;
  /** Module that piscina loads in each thread, when it is not the usual one. For tests that make a worker fail. */
  readonly entry: URL | undefined;
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  readonly pump: Pump;
  readonly connect: (cluster: number, refresh: boolean) => Promise<ConnectionInfo>;
  readonly onNotice: (source: number, notice: ReflectorNotice) => void;
  /** Whether the process may end although threads run. */
  readonly unref: boolean;
  /** What runs hosts and carries messages. For tests that have it all in one thread. @default threads of Node */
  readonly threads?: Threads;
}

/** See {@link FleetOptions.threads}. */
export interface Threads {
  readonly ports: Ports;
  makePool(options: HostPoolOptions): Pick<HostPool, 'run' | 'kill' | 'close'>;
}

const nodeThreads: Threads = { ports: threadPorts, makePool: (options) => new HostPool(options) };

/** A place for a worker: the one that is there now, and how it went so far. */
interface Berth {
  link: WorkerLink;
  startedMs: number;
  restartMs: number;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #threads: Threads;
  readonly #pool: ReturnType<Threads['makePool']>;
  readonly #berths: Berth[] = [];
  /** All workers that ever were, by number. 0 is that of the home thread, for sources that are functions. */
  readonly #links: (WorkerLink | undefined)[] = [undefined];
  readonly #specs = new Map<number, ReflectorSpec>();
  readonly #restarts = new Set<NodeJS.Timeout>();

  constructor(options: FleetOptions) {
    this.#options = options;
    const { workers, seed, arenaLimitBytes, tcpKeepAliveMs, heapLimitBytes, entry } = options;
    this.#threads = options.threads ?? nodeThreads;
    this.#pool = this.#threads.makePool({
      seed,
      arenaLimitBytes,
      tcpKeepAliveMs,
      heapLimitBytes,
      entry,
      onLost: (link, error) => this.#lost(link, error),
    });
    for (let i = 0; i < workers; i++) {
      this.#berths.push({ link: this.#launch(), startedMs: performance.now(), restartMs: FIRST_RESTART_MS });
    }
  }

  /** Shared memory of the rings in use. */
  get ringBytes(): number {
    return this.#berths.reduce((sum, { link }) => sum + link.ringBytes, 0);
  }

  /** How the arenas of all workers are doing, those that were lost included. */
  get arenas(): ArenaFigures[] {
    return this.#links.flatMap((link) => (link === undefined ? [] : readFigures(link.arenaFigures)));
  }

  startReflector(spec: ReflectorSpec): void {
    this.#specs.set(spec.source, spec);
    this.#berthOf(spec.source).link.startReflector(spec);
  }

  /**
   * Reads the API server in the worker of a reflector.
   *
   * @param beside - number of the reflector
   * @param spec - the reflector's, with a number of its own
   */
  probe(beside: number, spec: ReflectorSpec, request: ProbeRequest): Promise<ProbeResult> {
    return this.#berthOf(beside).link.probe(beside, spec, request);
  }

  /** Its promise stays pending. Harmless when the probe has ended. */
  stopProbe(beside: number, source: number): void {
    this.#berthOf(beside).link.stopProbe(source);
  }

  /** Resolves when it has stopped; records of it may still lie on the ring. */
  async stopReflector(source: number): Promise<void> {
    if (!this.#specs.delete(source)) return;
    await this.#berthOf(source).link.stopReflector(source);
  }

  /** Gives a block back to the worker whose arena it lies in. */
  release(ref: BlockRef): void {
    this.#links[ref.segment >>> SEGMENT_INDEX_BITS]?.release(ref.segment, ref.offset8);
  }

  /** Makes releases visible to the workers. */
  flush(): void {
    for (const { link } of this.#berths) link.flush();
  }

  /** Ends all threads as a crash would. For tests. */
  kill(): Promise<void> {
    return this.#pool.kill();
  }

  async close(): Promise<void> {
    for (const timer of this.#restarts) clearTimeout(timer);
    await this.#pool.close();
    for (const { link } of this.#berths) link.close();
  }

  #berthOf(source: number): Berth {
    return this.#berths[source % this.#berths.length]!;
  }

  #launch(): WorkerLink {
    const { ringRecords, segments, pump, onNotice, connect, unref } = this.#options;
    const onWake = () => pump.wake();
    const link = new WorkerLink({
      worker: this.#links.length,
      ringRecords,
      segments,
      onWake,
      onNotice,
      connect,
      unref,
      ports: this.#threads.ports,
    });
    this.#links.push(link);
    pump.addLink(link);
    this.#pool.run(link);
    // The first record has to find this thread asleep, so that it wakes it.
    pump.wake();
    return link;
  }

  #lost(link: WorkerLink, error: Error): void {
    const berth = this.#berths.find((one) => one.link === link);
    if (berth === undefined) return;
    const wasSteady = performance.now() - berth.startedMs >= STEADY_WORKER_MS;
    if (wasSteady) berth.restartMs = FIRST_RESTART_MS;
    const retryInMs = berth.restartMs;
    berth.restartMs = Math.min(berth.restartMs * 2, MAX_RESTART_MS);
    this.#options.pump.wake();
    link.lost();
    const message =
      `worker ${link.worker} ended unexpectedly (${error.message}); its informers keep what they have, and ` +
      'another worker lists anew';
    this.#tell(berth, { type: 'error', code: 'worker-lost', message, retryInMs });
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#replace(berth);
    }, retryInMs);
    if (this.#options.unref) timer.unref();
    this.#restarts.add(timer);
  }

  #replace(berth: Berth): void {
    berth.link = this.#launch();
    berth.startedMs = performance.now();
    for (const spec of this.#specs.values()) {
      // The cache may be newer than what a server that lags has cached: it must not go back.
      if (this.#berthOf(spec.source) === berth) berth.link.startReflector({ ...spec, startsAtLatest: true });
    }
  }

  #tell(berth: Berth, notice: ReflectorNotice): void {
    for (const source of this.#specs.keys()) {
      if (this.#berthOf(source) === berth) this.#options.onNotice(source, notice);
    }
  }
}
