/** Shares seeds among processes, in batches: a process that ends gives back all memory. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Batch, SeedReport } from './messages.ts';

/** Starting a process costs as much as ten seeds; with larger batches the last process would be waited for. */
const BATCH_SEEDS = 250;

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

export interface RunOptions {
  readonly first: number;
  readonly seeds: number;
  readonly processes: number;
  readonly onOutcome: () => void;
}

/** Of all seeds together. */
export interface Summary {
  readonly seeds: number;
  /** Those that failed, the lowest first. */
  readonly failed: readonly { readonly seed: number; readonly message: string }[];
  readonly tasks: number;
  readonly requests: number;
  readonly writes: number;
  readonly events: number;
  readonly simulatedHours: number;
}

const MS_PER_HOUR = 3_600_000;

export async function runSeeds({ first, seeds, processes, onOutcome }: RunOptions): Promise<Summary> {
  const reports: SeedReport[] = [];
  const end = first + seeds;
  let next = first;
  const work = async () => {
    while (next < end) {
      let batch: Batch = { first: next, seeds: Math.min(BATCH_SEEDS, end - next) };
      next += batch.seeds;
      // A process that crashed has told which seed that was: another one goes on behind it.
      while (batch.seeds > 0) {
        const got = await runBatch(batch, onOutcome);
        reports.push(...got);
        batch = { first: batch.first + got.length, seeds: batch.seeds - got.length };
      }
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return summaryOf(seeds, reports);
}

function runBatch(batch: Batch, onOutcome: () => void): Promise<SeedReport[]> {
  return new Promise((resolve, reject) => {
    const reports: SeedReport[] = [];
    const child = fork(CHILD, { execArgv: ['--expose-gc'] });
    child.on('message', (report) => {
      reports.push(report as SeedReport);
      onOutcome();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (reports.length > 0 || code === 0) resolve(reports);
      else
        reject(
          new Error(`the process for seed ${batch.first} ended with ${signal ?? code} and said nothing`),
        );
    });
    child.send(batch);
  });
}

function summaryOf(seeds: number, reports: readonly SeedReport[]): Summary {
  const failed = reports
    .flatMap(({ seed, message }) => (message === undefined ? [] : [{ seed, message }]))
    .sort((a, b) => a.seed - b.seed);
  const sum = (field: 'tasks' | 'requests' | 'writes' | 'events' | 'simulatedMs') =>
    reports.reduce((total, report) => total + report[field], 0);
  return {
    seeds,
    failed,
    tasks: sum('tasks'),
    requests: sum('requests'),
    writes: sum('writes'),
    events: sum('events'),
    simulatedHours: sum('simulatedMs') / MS_PER_HOUR,
  };
}
