/** What is measured, by contender. Each case checks its own answer and throws when it is wrong. */
import { DelayingQueue, PriorityQueue, WorkQueue } from '../../../src/workqueue/index.ts';
import { NaiveDelays, NaiveQueue } from './naive-queue.ts';
import { type PeerRun, runFastq, runPQueue } from './peers.ts';

/** What one run of a case says. */
export interface CaseFigures {
  readonly cpuNsPerItem: number;
  readonly wallNsPerItem: number;
  /** Heap and typed arrays that are held at the end, after a collection; undefined where nothing is held. */
  readonly heldBytesPerItem?: number;
}

/** As the process says it. */
export interface RunFigures extends CaseFigures {
  readonly peakRssMb: number;
}

export interface Case {
  readonly title: string;
  readonly contenders: Readonly<Record<string, (items: number) => CaseFigures | Promise<CaseFigures>>>;
}

interface SyncQueue {
  add(item: string): void;
  tryGet(): string | undefined;
  done(item: string): void;
}

interface Delays {
  readonly waiting: number;
  addAfter(item: string, delayMs: number): void;
  shutDown(): void;
}

/** Items of a large cluster. */
const KEYS = Array.from({ length: 100_000 }, (_, i) => `namespace-${i % 50}/pod-${i}`);

/** How often an item is added that is changed often. */
const ADDS_OF_ONE = 4;

/** Beyond the time that a run takes, so that nothing is due in it. */
const MIN_DELAY_MS = 600_000;

/** All of them are held at a time, with a string each: ten times as many would fill the heap of a process. */
const MAX_DELAYED = 1_000_000;

export const CASES: readonly Case[] = [
  {
    title: 'add, tryGet, done; bursts of 100',
    contenders: {
      naive: (items) => bursts(new NaiveQueue(), items, 100),
      WorkQueue: (items) => bursts(new WorkQueue(), items, 100),
      PriorityQueue: (items) => bursts(new PriorityQueue(), items, 100),
      fastq: (items) => peer(runFastq, items, 100),
      'p-queue': (items) => peer(runPQueue, items, 100),
    },
  },
  {
    title: 'the same, each item added four times',
    contenders: {
      naive: (items) => bursts(new NaiveQueue(), items, 100, ADDS_OF_ONE),
      WorkQueue: (items) => bursts(new WorkQueue(), items, 100, ADDS_OF_ONE),
      PriorityQueue: (items) => bursts(new PriorityQueue(), items, 100, ADDS_OF_ONE),
    },
  },
  {
    title: 'add, tryGet, done; 100,000 at once, as after a list',
    contenders: {
      naive: (items) => bursts(new NaiveQueue(), items, KEYS.length),
      WorkQueue: (items) => bursts(new WorkQueue(), items, KEYS.length),
      PriorityQueue: (items) => bursts(new PriorityQueue(), items, KEYS.length),
      'p-queue': (items) => peer(runPQueue, items, KEYS.length),
    },
  },
  {
    title: 'WorkQueue, by how items are taken; bursts of 100',
    contenders: {
      tryGet: (items) => bursts(new WorkQueue(), items, 100),
      'await get': (items) => awaited(new WorkQueue(), items),
      'await take': (items) => taken(new WorkQueue(), items),
      'for await': (items) => iterated(new WorkQueue(), items),
    },
  },
  {
    title: 'addAfter of different items (at most 1,000,000), random delays',
    contenders: {
      'a timer each': (items) => delayed(new NaiveDelays(), Math.min(items, MAX_DELAYED)),
      DelayingQueue: (items) => delayed(new DelayingQueue(), Math.min(items, MAX_DELAYED)),
      PriorityQueue: (items) => delayed(new PriorityQueue(), Math.min(items, MAX_DELAYED)),
    },
  },
];

function bursts(queue: SyncQueue, items: number, size: number, times = 1): CaseFigures {
  let done = 0;
  const stop = start(items);
  for (let first = 0; done < items; first = (first + size) % KEYS.length) {
    for (let time = 0; time < times; time++) {
      for (let i = first; i < first + size; i++) queue.add(KEYS[i]!);
    }
    for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
      queue.done(item);
      done++;
    }
  }
  const figures = stop();
  // The last burst is whole.
  check(done, Math.ceil(items / size) * size);
  return figures;
}

async function peer(run: PeerRun, items: number, size: number): Promise<CaseFigures> {
  const stop = start(items);
  const done = await run(KEYS, items, size);
  const figures = stop();
  check(done, Math.ceil(items / size) * size);
  return figures;
}

async function awaited(queue: WorkQueue, items: number): Promise<CaseFigures> {
  let done = 0;
  const stop = start(items);
  while (done < items) {
    for (let i = 0; i < 100; i++) queue.add(KEYS[(done + i) % KEYS.length]!);
    while (queue.len > 0) {
      queue.done((await queue.get())!);
      done++;
    }
  }
  const figures = stop();
  check(done, items);
  return figures;
}

async function taken(queue: WorkQueue, items: number): Promise<CaseFigures> {
  let done = 0;
  const stop = start(items);
  while (done < items) {
    for (let i = 0; i < 100; i++) queue.add(KEYS[(done + i) % KEYS.length]!);
    while (queue.len > 0) {
      (await queue.take())!.done();
      done++;
    }
  }
  const figures = stop();
  check(done, items);
  return figures;
}

async function iterated(queue: WorkQueue, items: number): Promise<CaseFigures> {
  let done = 0;
  const addBurst = () => {
    for (let i = 0; i < 100; i++) queue.add(KEYS[(done + i) % KEYS.length]!);
  };
  const stop = start(items);
  addBurst();
  for await (const _ of queue) {
    done++;
    if (done === items) queue.shutDown();
    else if (queue.len === 0) addBurst();
  }
  const figures = stop();
  check(done, items);
  return figures;
}

function delayed(queue: Delays, items: number): CaseFigures {
  const names = Array.from({ length: items }, (_, i) => `namespace-${i % 50}/delayed-${i}`);
  // Numbers that are computed in the loop would be part of what is measured, and strings hash themselves once.
  const delays = Float64Array.from({ length: items }, (_, i) => MIN_DELAY_MS + ((i * 7_919) % 1_000_003));
  const before = heldBytes();
  const stop = start(items);
  for (let i = 0; i < items; i++) queue.addAfter(names[i]!, delays[i]!);
  const figures = stop();
  check(queue.waiting, items);
  const heldBytesPerItem = (heldBytes() - before) / items;
  queue.shutDown();
  return { ...figures, heldBytesPerItem };
}

function start(items: number): () => CaseFigures {
  const cpuStart = cpuUs();
  const startMs = performance.now();
  return () => ({
    cpuNsPerItem: ((cpuUs() - cpuStart) * 1_000) / items,
    wallNsPerItem: ((performance.now() - startMs) * 1_000_000) / items,
  });
}

/** Of this thread; of the process before Node 23.9, which can't tell. */
function cpuUs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return user + system;
}

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function check(actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${actual} items instead of ${expected}`);
}
