/** One observation of memory, in a process of its own: lists Pods, looks at none of them, and prints one JSON line. */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { drop, SharedInformerFactory } from '../../src/index.ts';
import type { PodSet } from '../pods/pod-lines.ts';
import { startPodServer } from '../pods/start-pod-server.ts';

export interface MemoryTask extends PodSet {
  /** Without managedFields. */
  readonly isProjected: boolean;
}

/** Bytes are per object where the name says so, and of the whole process where not. */
export interface MemoryFigures {
  readonly objects: number;
  readonly listMs: number;
  /** Segments of object bodies. */
  readonly arenaPerObject: number;
  /** Cells and rows by key. */
  readonly tablePerObject: number;
  /** Indexes: namespace, node and phase. */
  readonly postingsPerObject: number;
  /** JavaScript heap of the home thread, after a full collection, above what was there before the list. */
  readonly heapPerObject: number;
  readonly rssPerObject: number;
  readonly rssPeakMb: number;
  readonly longestStallMs: number;
  readonly longestSliceMs: number;
  readonly longestSliceCpuMs: number;
  /** Of the home thread, over the whole list. */
  readonly gcPauses: number;
  readonly gcTotalMs: number;
  readonly gcLongestMs: number;
}

/** A stall is only seen by a timer that fires after it. */
const SETTLE_MS = 50;

/** Bodies of a million Pods are more than the default limit. */
const MEMORY_LIMIT_BYTES = 14 * 1024 ** 3;

const task = JSON.parse(process.argv[2]!) as MemoryTask;
const server = await startPodServer(task);
const factory = new SharedInformerFactory(server.kubeConfig, { memoryLimitBytes: MEMORY_LIMIT_BYTES });
try {
  console.log(JSON.stringify(await observe()));
} finally {
  await factory.stop();
  server.stop();
}

async function observe(): Promise<MemoryFigures> {
  const pods = factory.informerFor(
    { group: '', version: 'v1', resource: 'pods' },
    {
      indexers: { byNode: 'spec.nodeName', byPhase: 'status.phase' },
      ...(task.isProjected && { project: drop('metadata.managedFields') }),
    },
  );
  pods.on('error', (error) => console.error(error.message));
  globalThis.gc!();
  const before = process.memoryUsage();
  const gcPausesMs: number[] = [];
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcPausesMs.push(duration);
  });
  collections.observe({ entryTypes: ['gc'] });
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  const startMs = performance.now();
  await factory.start();
  const listMs = performance.now() - startMs;
  await sleep(SETTLE_MS);
  stalls.disable();
  collections.disconnect();
  const { arenaBytes, longestSliceMs, longestSliceCpuMs } = factory.stats;
  globalThis.gc!();
  const after = process.memoryUsage();
  const objects = pods.stats.objects;
  const tableBytes = tableBytesOf(pods.handle().store.state.shards);
  return {
    objects,
    listMs,
    arenaPerObject: arenaBytes / objects,
    tablePerObject: tableBytes / objects,
    postingsPerObject: (pods.stats.indexBytes - tableBytes) / objects,
    heapPerObject: (after.heapUsed - before.heapUsed) / objects,
    rssPerObject: (after.rss - before.rss) / objects,
    rssPeakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
    longestStallMs: stalls.max / 1e6,
    longestSliceMs,
    longestSliceCpuMs,
    gcPauses: gcPausesMs.length,
    gcTotalMs: gcPausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0),
    gcLongestMs: Math.max(0, ...gcPausesMs),
  };
}

interface ShardTables {
  readonly control: SharedArrayBuffer;
  readonly cells: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
}

function tableBytesOf(shards: readonly ShardTables[]): number {
  let bytes = 0;
  for (const { control, cells, slots } of shards)
    bytes += control.byteLength + cells.byteLength + slots.byteLength;
  return bytes;
}
