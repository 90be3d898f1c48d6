/** The work of a reconcile, on the home thread or in reconcile threads: a key derivation of so many rounds. */
import { pbkdf2Sync } from 'node:crypto';
import { getEnvironmentData } from 'node:worker_threads';
import type { ReconcileFunction } from '../../../src/index.ts';
import { threadCpuUs } from '../../meter.ts';

export interface Source {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: { readonly index: string };
}

/** Memory that all threads share; they find it in their environment under {@link WORK}. */
export interface Work {
  /** The rounds of a reconcile at {@link ROUNDS}, and how many reconciles have ended at {@link DONE}. */
  readonly control: Int32Array;
  /** By the index that the object has in the cache: what came out, and how often it was computed. */
  readonly answers: Uint32Array;
  readonly times: Int32Array;
  /** The same: what the last one took on the clock, and of the CPU. */
  readonly wallMs: Float64Array;
  readonly cpuUs: Float64Array;
}

export const WORK = 'kubering-bench-work';
export const ROUNDS = 0;
export const DONE = 1;

export function makeWork(keys: number): Work {
  const bytes = (each: number) => new SharedArrayBuffer(keys * each);
  return {
    control: new Int32Array(new SharedArrayBuffer(8)),
    answers: new Uint32Array(bytes(4)),
    times: new Int32Array(bytes(4)),
    wallMs: new Float64Array(bytes(8)),
    cpuUs: new Float64Array(bytes(8)),
  };
}

/**
 * A key derivation in native code: the same in each thread and process. Of a loop in JavaScript the same steps took five
 * times as long where V8 happened to keep unoptimised code.
 */
export function compute(index: number, rounds: number): number {
  return pbkdf2Sync(String(index), 'kubering', rounds, 4, 'sha256').readUInt32LE();
}

export const reconcile: ReconcileFunction<Source> = async ({ key }, { lister }) => {
  const { control, answers, times, wallMs, cpuUs } = getEnvironmentData(WORK) as unknown as Work;
  const index = Number(lister.get(key)!.data.index);
  const [startMs, startCpuUs] = [performance.now(), threadCpuUs() ?? Number.NaN];
  answers[index] = compute(index, control[ROUNDS]!);
  wallMs[index] = performance.now() - startMs;
  cpuUs[index] = (threadCpuUs() ?? Number.NaN) - startCpuUs;
  Atomics.add(times, index, 1);
  Atomics.add(control, DONE, 1);
};
