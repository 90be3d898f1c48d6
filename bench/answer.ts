/** The answer of a run, and whether it is right: figures of a wrong answer are worth nothing. */
import { createHash } from 'node:crypto';
import type { Workload } from './contenders/index.ts';

/** What a contender says at the end of a run. */
export interface Answer {
  /** Events that the handler saw. */
  readonly adds: number;
  readonly updates: number;
  readonly deletes: number;
  /** Objects in the cache, and a checksum over their keys and resourceVersions. */
  readonly objects: number;
  readonly checksum: string;
  /** See `Tally`. */
  readonly addSum: number;
  readonly versionSum: number;
  readonly outOfOrder: number;
  readonly merged: number;
  readonly errors: readonly string[];
}

/** What the server knows: it decides what is right. */
export interface Truth {
  readonly objects: number;
  readonly checksum: string;
  /** Updates that the server made, each with a resourceVersion of its own. */
  readonly updates: number;
  /** The server's resourceVersion before the first update. */
  readonly versionBefore: number;
  readonly keyLetters: number;
  readonly containers: number;
  /** Watches that were opened during the run. */
  readonly watches: number;
}

/** Checksum over keys and resourceVersions, whatever their order. */
export function checksumOf(entries: Iterable<readonly [key: string, resourceVersion: string]>): string {
  const lines = Array.from(entries, ([key, resourceVersion]) => `${key} ${resourceVersion}\n`).sort();
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex').slice(0, CHECKSUM_DIGITS);
}

/** Enough to tell two caches apart, short enough to read. */
const CHECKSUM_DIGITS = 16;

/** @returns what is wrong with an answer, a sentence each; empty when it is right */
export function problemsOf(answer: Answer, truth: Truth, workload: Workload): string[] {
  const problems: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    if (actual !== expected) problems.push(`${what}: ${actual} instead of ${expected}`);
  };
  expect('adds', answer.adds, truth.objects);
  expect('updates', answer.updates, truth.updates);
  expect('deletes', answer.deletes, 0);
  expect('objects in the cache', answer.objects, truth.objects);
  expect('checksum of keys and resourceVersions', answer.checksum, truth.checksum);
  expect('merged events', answer.merged, 0);
  if (workload === 'keys') {
    expect('letters of listed keys', answer.addSum, truth.keyLetters);
  } else {
    expect('containers of listed Pods', answer.addSum, truth.containers);
    expect('sum of resourceVersions of updates', answer.versionSum, versionSumOf(truth));
    expect('updates out of order', answer.outOfOrder, 0);
  }
  // A watch that broke and was opened again would be timed as one, and hide what the break cost.
  expect('watches opened', truth.watches, 1);
  for (const error of answer.errors) problems.push(`error: ${error}`);
  return problems;
}

/** The server counts its resourceVersion up by one per update. */
function versionSumOf({ versionBefore, updates }: Truth): number {
  return updates * versionBefore + (updates * (updates + 1)) / 2;
}
