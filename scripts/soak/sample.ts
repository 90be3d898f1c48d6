/** What must not grow, at one moment. */
import { readdirSync } from 'node:fs';
import type { SharedInformer, SharedInformerFactory } from '../../src/index.ts';

export interface Sample {
  readonly seconds: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly sharedMb: number;
  /** Sockets of this process that the server has open. */
  readonly sockets: number;
  /** Open file descriptors; 0 where they can't be counted. */
  readonly fds: number;
  readonly timers: number;
  readonly listeners: number;
  readonly objects: number;
}

/** Figures of a sample that are judged. */
export const FLAT = ['rssMb', 'heapMb', 'sharedMb', 'sockets', 'fds', 'timers', 'listeners'] as const;

const MEBIBYTE = 1024 * 1024;

const EVENTS = ['error', 'synced', 'state', 'health', 'audit', 'add', 'update', 'delete', 'change'] as const;

/** @param sockets - what the server says */
export function sampleOf(
  seconds: number,
  factory: SharedInformerFactory,
  informer: SharedInformer,
  sockets: number,
): Sample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { sharedBytes, objects } = factory.stats;
  const listeners = EVENTS.reduce((sum, name) => sum + informer.listenerCount(name), 0);
  return {
    seconds: Math.round(seconds),
    rssMb: rounded(rss / MEBIBYTE),
    heapMb: rounded(heapUsed / MEBIBYTE),
    sharedMb: rounded(sharedBytes / MEBIBYTE),
    sockets,
    fds: openFiles(),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    listeners: listeners + informer.stats.handlers + process.listenerCount('exit'),
    objects,
  };
}

/** Only Linux has a folder of them. */
export function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
