/** An informer that is fed by functions, with its pump, and time that a test owns. */
import { KubeConfig } from '@kubernetes/client-node';
import type { InformerError } from '../../src/informer/errors.ts';
import { SharedInformer } from '../../src/informer/informer.ts';
import { type InformerOptions, planInformer } from '../../src/informer/options.ts';
import { Pump } from '../../src/informer/pump.ts';
import { STATUS_BYTES } from '../../src/layout/status.ts';
import { type ListerWatcher, ListWatch, LocalWorker } from '../../src/list-watch/index.ts';
import type { Clock } from '../../src/reflector/index.ts';
import { SegmentTable } from '../../src/store/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';

const SEED = { lo: 3, hi: 4 };
const SOURCE = 1;

export interface Thing {
  kind?: string;
  apiVersion?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
  };
  spec?: Record<string, unknown>;
}

export interface HomeOptions {
  readonly informer?: InformerOptions;
  readonly ringRecords?: number;
  readonly arenaLimitBytes?: number;
  /** False leaves everything on the ring. */
  readonly isPumping?: boolean;
  readonly clock?: Clock;
}

export class Home {
  readonly clock = new FakeClock();
  readonly informer: SharedInformer<Thing>;
  readonly local: LocalWorker;
  readonly segments = new SegmentTable();
  /** What handlers were told: `add ns/name`. */
  readonly seen: string[] = [];
  readonly errors: InformerError[] = [];
  isPumping: boolean;

  readonly #pump: Pump;
  readonly #plan: ReturnType<typeof planInformer>;

  constructor(options: HomeOptions = {}) {
    const {
      informer = {},
      ringRecords = 256,
      arenaLimitBytes = 256 * 1024 * 1024,
      isPumping = true,
    } = options;
    this.isPumping = isPumping;
    this.#plan = planInformer({ group: '', version: 'v1', resource: 'things' }, informer);
    this.#pump = new Pump({ segments: this.segments, now: () => performance.now(), cpuMs: () => 0 });
    this.local = new LocalWorker({
      worker: 0,
      ringRecords,
      seed: SEED,
      segments: this.segments,
      arenaLimitBytes,
      onWake: () => this.isPumping && this.#pump.wake(),
      onNotice: (_source, notice) => this.informer.notice(notice),
      clock: options.clock ?? this.clock,
      random: () => 0,
    });
    this.#pump.addLink(this.local);
    this.informer = new SharedInformer<Thing>(this.#plan, {
      segments: this.segments,
      seed: SEED,
      clock: { now: () => performance.now(), setTimer: () => () => {} },
      release: (ref) => this.local.release(ref.segment, ref.offset8),
      wake: () => this.#pump.wake(),
      start: () => this.informer.started(),
      stop: async () => this.stop(),
    });
    this.#pump.addConsumer(SOURCE, this.informer.feeds[0]!);
    this.informer.on('error', (error) => this.errors.push(error));
    this.informer.addEventHandler({ onEvent: (event) => void this.seen.push(`${event.type} ${event.key}`) });
  }

  start(listerWatcher: ListerWatcher): this {
    const { resource, pageLimit, scan, options } = this.#plan;
    const { labelSelector, fieldSelector, watchIdleMs } = options;
    const spec = {
      source: SOURCE,
      status: new SharedArrayBuffer(STATUS_BYTES),
      epochMs: performance.timeOrigin,
      resource,
      pageLimit,
      scan,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(watchIdleMs !== undefined && { watchIdleMs }),
    };
    this.local.startReflector(spec, listerWatcher);
    if (this.isPumping) this.#pump.wake();
    return this;
  }

  /** Lets the pump work again. */
  pump(): void {
    this.isPumping = true;
    this.#pump.wake();
  }

  stop(): void {
    this.local.stopReflector(SOURCE);
  }
}

/** Turns of the event loop until something holds: all that is waited for here needs no time. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const maxTurns = 100_000;
  for (let turn = 0; !holds(); turn++) {
    if (turn === maxTurns) throw new Error(`waited for ${maxTurns} turns until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Turns in which nothing must happen. Too few would hide a fault, never invent one. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function thing(key: string, resourceVersion: number | string, spec?: Record<string, unknown>): Thing {
  const [namespace, name] = key.split('/') as [string, string];
  const metadata = { namespace, name, uid: `uid-${key}`, resourceVersion: String(resourceVersion) };
  return spec === undefined ? { metadata } : { metadata, spec };
}

export function thingList(items: readonly unknown[], resourceVersion: string, metadata: object = {}) {
  return {
    kind: 'ThingList',
    apiVersion: 'v1',
    metadata: { resourceVersion, ...metadata },
    items: items as object[],
  };
}

/** A watch whose events a test gives one by one. */
export class Events implements AsyncIterableIterator<object> {
  /** How often an event was asked for. */
  asked = 0;
  returned = false;
  #queue: object[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<object>> | undefined;

  give(...events: object[]): void {
    for (const event of events) {
      if (this.#waiting === undefined) this.#queue.push(event);
      else this.#settle()!.resolve({ done: false, value: event });
    }
  }

  end(): void {
    this.#settle()?.resolve({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    this.#settle()?.reject(error);
  }

  async next(): Promise<IteratorResult<object>> {
    this.asked++;
    const value = this.#queue.shift();
    if (value !== undefined) return { done: false, value };
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  async return(): Promise<IteratorResult<object>> {
    this.returned = true;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isAwaited(): boolean {
    return this.#waiting !== undefined;
  }

  #settle() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

/** Lists come in turn, the last one again and again; watches too. */
export function script(lists: readonly unknown[], watches: readonly unknown[] = [new Events()]) {
  const asked: { verb: 'list' | 'watch'; options: Record<string, unknown> }[] = [];
  const answer = (verb: 'list' | 'watch', answers: readonly unknown[], options: object) => {
    const count = asked.filter((call) => call.verb === verb).length;
    asked.push({ verb, options: { ...options } });
    const value = answers[Math.min(count, answers.length - 1)];
    return typeof value === 'function' ? value(options) : value;
  };
  const listerWatcher = new ListWatch({
    listFunc: async (options) => answer('list', lists, options),
    watchFunc: (options) => answer('watch', watches, options),
  });
  return {
    listerWatcher,
    asked,
    count: (verb: 'list' | 'watch') => asked.filter((call) => call.verb === verb).length,
  };
}

export function added(object: Thing) {
  return { type: 'ADDED', object };
}
export function modified(object: Thing) {
  return { type: 'MODIFIED', object };
}
export function deleted(object: Thing) {
  return { type: 'DELETED', object };
}
export function bookmark(resourceVersion: string) {
  return { type: 'BOOKMARK', object: { kind: 'Thing', metadata: { resourceVersion } } };
}

/** For a factory whose informers ask no server. */
export function emptyKubeConfig(): KubeConfig {
  return new KubeConfig();
}
