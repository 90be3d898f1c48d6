/**
 * Hosts the reflectors of ListerWatchers. To its factory it is a worker like the others, with its own arena and ring,
 * but it runs on the home thread, where the functions are.
 */
import type { HashSeed } from '../layout/key-hash.ts';
import { DELTA_WORDS } from '../layout/ring.ts';
import { type Clock, describeResource, Reflector, type ReflectorNotice } from '../reflector/index.ts';
import { Consumer, createRing, openRing, Producer } from '../ring/index.ts';
import type { LoadedProgram } from '../scan/index.ts';
import { Arena, createFigures, type SegmentTable } from '../store/index.ts';
import { DeltaWriter, describeArena, Mover, type ReflectorSpec, StatusWriter } from '../worker/index.ts';
import { ByteScanner } from './byte-scanner.ts';
import { FunctionExchange } from './function-exchange.ts';
import { LocalSink } from './local-sink.ts';
import { PlainDraft } from './plain-draft.ts';
import { ReleaseQueue } from './release-queue.ts';
import type { ListerWatcher } from './types.ts';

/** Functions owe nobody bookmarks: a watch that is silent is no broken one, unless its informer says so. */
const NO_IDLE_LIMIT = 0;

function systemClock(unref: boolean): Clock {
  return {
    now: () => performance.now(),
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      if (unref) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

export interface LocalWorkerOptions {
  /** Number among the workers of the factory. */
  readonly worker: number;
  /** Capacity of the ring, a power of two. */
  readonly ringRecords: number;
  readonly seed: HashSeed;
  readonly segments: SegmentTable;
  /** Most bytes of the arena. */
  readonly arenaLimitBytes: number;
  /** The ring has records, and the pump said that it sleeps. */
  readonly onWake: () => void;
  readonly onNotice: (source: number, notice: ReflectorNotice) => void;
  /** Whether the process may end although reflectors run. @default false */
  readonly unref?: boolean;
  readonly clock?: Clock;
  /** Uniform in [0, 1), as Math.random. */
  readonly random?: () => number;
}

interface Hosted {
  readonly reflector: Reflector;
  readonly sink: LocalSink;
  readonly free: () => void;
}

export class LocalWorker {
  readonly worker: number;
  /** Deltas that wait for the pump. */
  readonly deltas: Consumer;
  /** Shared memory of the ring. */
  readonly ringBytes: number;

  readonly arenaFigures = createFigures();

  readonly #options: LocalWorkerOptions;
  readonly #clock: Clock;
  readonly #arena: Arena;
  readonly #writer: DeltaWriter;
  readonly #mover: Mover;
  readonly #scanner: ByteScanner;
  readonly #releases = new ReleaseQueue();
  readonly #hosted = new Map<number, Hosted>();
  readonly #names = new Map<number, string>();
  #isTellingSpace = false;

  constructor(options: LocalWorkerOptions) {
    const { worker, ringRecords, seed, segments, arenaLimitBytes, onWake } = options;
    this.worker = worker;
    this.#options = options;
    this.#clock = options.clock ?? systemClock(options.unref ?? false);
    this.#scanner = new ByteScanner(seed);
    const memory = createRing(ringRecords, DELTA_WORDS);
    this.ringBytes = memory.byteLength;
    this.deltas = new Consumer(openRing(memory, DELTA_WORDS));
    this.#arena = new Arena({
      worker,
      limitBytes: arenaLimitBytes,
      onSegment: (segment) => segments.add(segment),
      onSegmentGone: (id) => segments.delete(id),
    });
    const producer = new Producer(openRing(memory, DELTA_WORDS));
    this.#writer = new DeltaWriter(producer, this.#releases, this.#arena, onWake);
    this.#mover = new Mover({
      arena: this.#arena,
      writer: this.#writer,
      now: () => this.#clock.now(),
      setTimer: (delayMs, callback) => this.#clock.setTimer(delayMs, callback),
      figures: this.arenaFigures,
    });
  }

  startReflector(spec: ReflectorSpec, listerWatcher: ListerWatcher): void {
    const { source, memoryLimit } = spec;
    this.#names.set(source, describeResource(spec.resource));
    if (memoryLimit !== undefined) this.#arena.limit(source, memoryLimit.group, memoryLimit.bytes);
    let program: LoadedProgram | undefined;
    const sink = this.#sinkFor(spec, (engine) => {
      program ??= engine.load(spec.scan);
      return program;
    });
    const reflector = new Reflector({
      resource: spec.resource,
      transport: {
        open(request, handlers) {
          const exchange = new FunctionExchange(listerWatcher, sink, handlers);
          void exchange.run(request);
          return exchange;
        },
      },
      sink,
      clock: this.#clock,
      random: this.#options.random ?? Math.random,
      initialList: 'list',
      pageLimit: spec.pageLimit,
      labelSelector: spec.labelSelector,
      fieldSelector: spec.fieldSelector,
      watchIdleMs: spec.watchIdleMs ?? NO_IDLE_LIMIT,
      startJitterMs: spec.startJitterMs,
      observer: new StatusWriter(spec.status, spec.epochMs),
    });
    this.#writer.shares.add(source);
    this.#hosted.set(source, { reflector, sink, free: () => program?.free() });
    reflector.start();
  }

  /** When it returns the reflector has stopped; records of it may still lie on the ring. */
  stopReflector(source: number): void {
    const hosted = this.#hosted.get(source);
    if (hosted === undefined) return;
    this.#hosted.delete(source);
    hosted.reflector.stop();
    hosted.sink.close();
    this.#writer.shares.remove(source);
    hosted.free();
  }

  /** Stops all reflectors. */
  close(): void {
    for (const source of [...this.#hosted.keys()]) this.stopReflector(source);
    this.#mover.close();
  }

  /** Gives a block back, with the next `flush`. */
  release(segment: number, offset8: number): void {
    this.#releases.push(segment, offset8);
  }

  /** Makes room of what was read and released, and goes on with what waits for it. */
  flush(): void {
    const hasSpace = this.deltas.release();
    const hasReleases = this.#releases.publish();
    if (!(hasSpace || hasReleases) || this.#isTellingSpace) return;
    this.#isTellingSpace = true;
    // Not in the pump's slice: what goes on takes its own.
    setImmediate(() => {
      this.#isTellingSpace = false;
      for (const { sink } of this.#hosted.values()) sink.spaceCame();
    });
  }

  /** A record was taken from the ring. This worker can't get lost, so nobody counts. */
  taken(): void {}

  /** Reflectors can be started as long as the factory lives. */
  get isDrained(): boolean {
    return false;
  }

  /** Segments are announced at once here, so there is never one to wait for. */
  receiveNow(): void {}

  #sinkFor(spec: ReflectorSpec, load: (engine: ByteScanner['engine']) => LoadedProgram): LocalSink {
    const { source, resource, scan } = spec;
    const scanner = this.#scanner;
    const clock = this.#clock;
    return new LocalSink({
      source,
      what: describeResource(resource),
      get engine() {
        return scanner.engine;
      },
      get program() {
        return load(scanner.engine);
      },
      get draft() {
        return scanner.draft;
      },
      plainDraft: new PlainDraft(scan, this.#options.seed),
      writer: this.#writer,
      // Later, as from a worker: whoever is told may stop the informer, and that while a reader reads.
      tell: (notice) => queueMicrotask(() => this.#options.onNotice(source, notice)),
      // This thread can't be replaced. The module keeps nothing from one scan to the next, so another list may do.
      onTrap: () => {},
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      now: () => clock.now(),
      describeArena: (bytes) =>
        describeArena(this.#arena, source, bytes, 'for all sources that are functions', this.#nameOf),
    });
  }

  readonly #nameOf = (source: number): string => this.#names.get(source) ?? `source ${source}`;
}
