/**
 * What one worker does: it hosts reflectors, which come and go by messages. It ends when the home thread says
 * so; stopping one reflector never touches its neighbours.
 */
import type { MessagePort } from 'node:worker_threads';
import { DELTA_WORDS, RELEASE_WORDS } from '../layout/ring.ts';
import { MsgpackEncoder } from '../msgpack/index.ts';
import { type Clock, describeResource, Reflector } from '../reflector/index.ts';
import { Consumer, openRing, Producer } from '../ring/index.ts';
import { ScanEngine } from '../scan/index.ts';
import { Arena, SEGMENT_INDEX_MASK } from '../store/index.ts';
import { type ConnectionInfo, CredentialsError } from '../transport/index.ts';
import { DeltaWriter } from './delta-writer.ts';
import { describeArena } from './describe-arena.ts';
import { FunctionDraft } from './function-draft.ts';
import { FunctionErrors } from './function-errors.ts';
import { HostRecords } from './host-records.ts';
import type { HostTask, ReflectorSpec, ToHome, ToWorker } from './messages.ts';
import { Mover } from './mover.ts';
import { ObjectDraft } from './object-draft.ts';
import { Probe, type ProbeListOptions, type ProbeResult } from './probe.ts';
import { type OpenTransport, Servers, undiciTransport } from './servers.ts';
import { ReflectorSink } from './sink.ts';
import { StatusWriter } from './status-writer.ts';
import { type FunctionsSpec, loadFunctions, type UserFunctions } from './user-functions.ts';

const clock: Clock = {
  now: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Least time between two wake-ups of the home thread. One costs both threads some tenths of a millisecond; the
 * ring holds what comes meanwhile.
 */
const MIN_WAKE_INTERVAL_MS = 4;

/**
 * Between two attempts to load a module of a user. Node keeps a module that threw, so it helps only where a file was
 * missing.
 */
const MODULE_RETRY_MS = 30_000;

interface Hosted {
  readonly reflector: Reflector | Probe;
  readonly sink: ReflectorSink;
  readonly free: () => void;
}

/** What a host has from its thread. Tests give it others. */
export interface HostSurroundings {
  readonly openTransport: OpenTransport;
  makeArena(options: ConstructorParameters<typeof Arena>[0]): Arena;
}

/**
 * Starts a host that runs until the home thread sends `end`. When the scanner traps, the thread ends with that error,
 * and the home thread takes another one in place of it.
 */
export function startHost(
  task: HostTask,
  surroundings: HostSurroundings = {
    openTransport: undiciTransport(task.tcpKeepAliveMs),
    makeArena: (options) => new Arena(options),
  },
): void {
  new Host(task, surroundings);
}

class Host {
  readonly #task: HostTask;
  readonly #port: MessagePort;
  readonly #engine: ScanEngine;
  readonly #arena: Arena;
  readonly #writer: DeltaWriter;
  readonly #draft: ObjectDraft;
  readonly #servers: Servers;
  readonly #hosted = new Map<number, Hosted>();
  /** Reflectors that wait for modules of users, with what ends that. */
  readonly #loading = new Map<number, () => void>();
  readonly #encoder: MsgpackEncoder;
  readonly #records: HostRecords;
  readonly #mover: Mover;
  readonly #names = new Map<number, string>();
  readonly #connections = new Map<number, PromiseWithResolvers<ConnectionInfo>>();
  #nextConnection = 1;
  #isWaking = false;
  #wokenMs = Number.NEGATIVE_INFINITY;

  constructor(task: HostTask, { openTransport, makeArena }: HostSurroundings) {
    this.#task = task;
    this.#port = task.port;
    this.#engine = ScanEngine.create({ module: task.wasm, seed: task.seed });
    this.#arena = makeArena({
      worker: task.worker,
      limitBytes: task.arenaLimitBytes,
      onSegment: ({ id, memory }) => this.#send({ type: 'segment', id, memory }),
      onSegmentGone: (id) => this.#send({ type: 'segmentGone', id }),
    });
    const deltas = new Producer(openRing(task.deltaRing, DELTA_WORDS));
    const releases = new Consumer(openRing(task.releaseRing, RELEASE_WORDS));
    this.#writer = new DeltaWriter(deltas, releases, this.#arena, () => this.#wakeHome());
    this.#draft = new ObjectDraft(this.#engine, task.seed);
    this.#encoder = new MsgpackEncoder(task.structures);
    this.#records = new HostRecords({
      worker: task.worker,
      seed: task.seed,
      module: task.transcoder,
      onEpoch: (memory) => {
        this.#send({ type: 'dictionary', memory });
        deltas.announce();
      },
      onEpochFree: (epoch) => this.#send({ type: 'dictionaryGone', epoch }),
    });
    this.#writer.onFree = (id, offset) => {
      this.#records.freed(this.#arena.segments[id & SEGMENT_INDEX_MASK]!, offset);
    };
    this.#mover = new Mover({
      arena: this.#arena,
      writer: this.#writer,
      now: clock.now,
      setTimer: clock.setTimer,
      rewriter: this.#records,
      figures: task.arenaFigures,
    });
    this.#servers = new Servers({
      clock,
      openTransport,
      connect: (cluster, refresh) => this.#connect(cluster, refresh),
    });
    this.#port.on('message', (message: ToWorker) => this.#receive(message));
  }

  #receive(message: ToWorker): void {
    switch (message.type) {
      case 'start':
        if (message.spec.functions === undefined) this.#start(message.spec);
        else void this.#load(message.spec, message.spec.functions);
        break;
      case 'stop':
        this.#stop(message.source);
        break;
      case 'probe':
        void this.#probe(message);
        break;
      case 'space':
        for (const { sink } of this.#hosted.values()) sink.spaceCame();
        break;
      case 'connection':
        this.#settle(message.id)?.resolve(message.info);
        break;
      case 'connectionFailed':
        this.#settle(message.id)?.reject(new CredentialsError(message.message, { code: message.code }));
        break;
      case 'end':
        void this.#close();
        break;
    }
  }

  async #load(spec: ReflectorSpec, functions: FunctionsSpec): Promise<void> {
    const { source } = spec;
    let isStopped = false;
    this.#loading.set(source, () => {
      isStopped = true;
    });
    let loaded: UserFunctions | undefined;
    try {
      loaded = await loadFunctions(spec.resource, functions);
    } catch (error) {
      if (isStopped) return;
      const { message } = error as Error;
      const retryInMs = MODULE_RETRY_MS;
      const notice = { type: 'error', code: 'module-failed', message, retryInMs } as const;
      this.#send({ type: 'notice', source, notice });
      this.#loading.set(
        source,
        clock.setTimer(retryInMs, () => void this.#load(spec, functions)),
      );
      return;
    }
    if (isStopped) return;
    this.#loading.delete(source);
    this.#start(spec, loaded);
  }

  #draftFor(spec: ReflectorSpec, functions: UserFunctions | undefined, status: StatusWriter): ObjectDraft {
    const { source, resource, bodies } = spec;
    const record =
      bodies === 'record' ? this.#records.open(source, resource, () => status.bodyFellBack()) : undefined;
    if (functions === undefined) {
      return record === undefined ? this.#draft : new ObjectDraft(this.#engine, this.#task.seed, record);
    }
    const errors = new FunctionErrors(describeResource(resource), status, (notice) =>
      this.#send({ type: 'notice', source, notice }),
    );
    return new FunctionDraft({
      engine: this.#engine,
      seed: this.#task.seed,
      functions,
      ...(bodies === 'msgpack' && { encoder: this.#encoder }),
      ...(record !== undefined && { record }),
      onTransformError: errors.transformFailed,
      onIndexError: errors.indexFailed,
    });
  }

  #start(spec: ReflectorSpec, functions?: UserFunctions): void {
    const status = new StatusWriter(spec.status, spec.epochMs);
    const { memoryLimit } = spec;
    if (memoryLimit !== undefined) this.#arena.limit(spec.source, memoryLimit.group, memoryLimit.bytes);
    const { sink, free } = this.#sinkFor(spec, functions, status);
    const reflector = new Reflector({
      ...this.#requestsOf(spec),
      sink,
      pageLimit: spec.pageLimit,
      watchIdleMs: spec.watchIdleMs,
      initialList: spec.initialList,
      startsAtLatest: spec.startsAtLatest,
      startJitterMs: spec.startJitterMs,
      observer: status,
    });
    this.#hosted.set(spec.source, { reflector, sink, free });
    reflector.start();
  }

  #sinkFor(spec: ReflectorSpec, functions: UserFunctions | undefined, status: StatusWriter) {
    const { source } = spec;
    const what = describeResource(spec.resource);
    this.#names.set(source, what);
    const program = this.#engine.load(spec.scan);
    this.#writer.shares.add(source);
    const sink = new ReflectorSink({
      source,
      what,
      engine: this.#engine,
      program,
      draft: this.#draftFor(spec, functions, status),
      writer: this.#writer,
      tell: (notice) => this.#send({ type: 'notice', source, notice }),
      onTrap: (error) => this.#trapped(error),
      setTimer: clock.setTimer,
      onWait: (isForRing) => status.waited(isForRing),
      describeArena: (bytes) => describeArena(this.#arena, source, bytes, 'per worker', this.#nameOf),
    });
    return { sink, free: () => program.free() };
  }

  /** What all requests for a resource have in common. */
  #requestsOf(spec: ReflectorSpec): ProbeListOptions {
    const { transport, budget } = this.#servers.of(spec.cluster ?? 0);
    return {
      resource: spec.resource,
      transport,
      clock,
      random: Math.random,
      ...(spec.labelSelector !== undefined && { labelSelector: spec.labelSelector }),
      ...(spec.fieldSelector !== undefined && { fieldSelector: spec.fieldSelector }),
      metadataOnly: spec.metadataOnly,
      compression: spec.compression,
      budget,
    };
  }

  /** Reads beside a reflector; its number is one of its own. Ends by itself, or by `stop`. */
  async #probe({ beside, spec, request }: ToWorker & { type: 'probe' }): Promise<void> {
    const { source } = spec;
    let isStopped = false;
    this.#loading.set(source, () => {
      isStopped = true;
    });
    let functions: UserFunctions | undefined;
    let failure: ProbeResult | undefined;
    try {
      if (spec.functions !== undefined) functions = await loadFunctions(spec.resource, spec.functions);
    } catch (error) {
      failure = { type: 'failed', code: 'module-failed', message: (error as Error).message, status: 0 };
    }
    if (isStopped) return;
    this.#loading.delete(source);
    if (failure !== undefined) {
      this.#send({ type: 'probed', source, result: failure });
      return;
    }
    const status = new StatusWriter(spec.status, spec.epochMs);
    const { sink, free } = this.#sinkFor(spec, functions, status);
    const onEnd = (result: ProbeResult) => {
      // Not from within its last call, whose reader is closed after this.
      queueMicrotask(() => {
        this.#stop(source);
        // Its blocks are the reflector's.
        this.#names.delete(source);
        this.#send({ type: 'probed', source, result });
      });
    };
    const list = this.#requestsOf(spec);
    const probe = new Probe({ request, beside, sink, seed: this.#task.seed, list, onEnd });
    this.#hosted.set(source, { reflector: probe, sink, free });
    probe.start();
  }

  #stop(source: number): void {
    const cancel = this.#loading.get(source);
    if (cancel !== undefined) {
      cancel();
      this.#loading.delete(source);
      this.#send({ type: 'stopped', source });
    }
    const hosted = this.#hosted.get(source);
    if (hosted === undefined) return;
    this.#hosted.delete(source);
    hosted.reflector.stop();
    hosted.sink.close();
    this.#writer.shares.remove(source);
    this.#records.close(source);
    hosted.free();
    this.#send({ type: 'stopped', source });
  }

  async #close(): Promise<void> {
    for (const source of [...this.#hosted.keys(), ...this.#loading.keys()]) this.#stop(source);
    this.#mover.close();
    await this.#servers.close();
    this.#send({ type: 'ended' });
    this.#port.close();
  }

  /** What the readers share is broken, so all reflectors end. What they put on the ring before is good. */
  #trapped(error: Error): void {
    for (const { reflector, sink } of this.#hosted.values()) {
      reflector.stop();
      sink.close();
    }
    this.#hosted.clear();
    for (const cancel of this.#loading.values()) cancel();
    this.#loading.clear();
    this.#mover.close();
    void this.#servers.close();
    this.#port.close();
    // Not from here, where a caller might catch it.
    setImmediate(() => {
      throw new Error(`the scanner trapped: ${error.message}`, { cause: error });
    });
  }

  #connect(cluster: number, refresh: boolean): Promise<ConnectionInfo> {
    const id = this.#nextConnection++;
    const pending = Promise.withResolvers<ConnectionInfo>();
    this.#connections.set(id, pending);
    this.#send({ type: 'connect', id, cluster, refresh });
    return pending.promise;
  }

  #settle(id: number): PromiseWithResolvers<ConnectionInfo> | undefined {
    const pending = this.#connections.get(id);
    this.#connections.delete(id);
    return pending;
  }

  /**
   * A single change wakes the home thread at the end of this turn of the event loop, so behind all chunks that
   * a full socket gives in one turn. In a flood the next one waits.
   */
  #wakeHome(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    const waitMs = this.#wokenMs + MIN_WAKE_INTERVAL_MS - clock.now();
    if (waitMs <= 0) setImmediate(this.#wakeNow);
    else setTimeout(this.#wakeNow, waitMs);
  }

  readonly #wakeNow = (): void => {
    this.#isWaking = false;
    this.#wokenMs = clock.now();
    this.#send({ type: 'wake' });
  };

  readonly #nameOf = (source: number): string => this.#names.get(source) ?? `reflector ${source}`;

  #send(message: ToHome): void {
    this.#port.postMessage(message);
  }
}
