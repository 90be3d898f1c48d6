/** The work of a reconcile, on the home thread or in reconcile threads: a chain of numbers that takes so many steps. */
import { getEnvironmentData } from 'node:worker_threads';
import type { ReconcileFunction } from '../../../src/index.ts';

export interface Source {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: { readonly index: string };
}

/** Memory that all threads share; they find it in their environment under {@link WORK}. */
export interface Work {
  /** The steps of a reconcile at {@link STEPS}, and how many reconciles have ended at {@link DONE}. */
  readonly control: Int32Array;
  /** By the index that the object has in the cache: where the chain ended, and how often it was walked. */
  readonly answers: Uint32Array;
  readonly times: Int32Array;
}

export const WORK = 'kubering-bench-work';
export const STEPS = 0;
export const DONE = 1;

export function makeWork(keys: number): Work {
  const ofKeys = () => new SharedArrayBuffer(keys * 4);
  return {
    control: new Int32Array(new SharedArrayBuffer(8)),
    answers: new Uint32Array(ofKeys()),
    times: new Int32Array(ofKeys()),
  };
}

// A linear congruential generator (Numerical Recipes): no step can be left out, and where it ends is soon checked.
const FACTOR = 1_664_525;
const SUMMAND = 1_013_904_223;

export function walk(start: number, steps: number): number {
  let x = start;
  for (let i = 0; i < steps; i++) x = (Math.imul(x, FACTOR) + SUMMAND) | 0;
  return x >>> 0;
}

/** What {@link walk} gives, in as many steps as the number of steps has bits. */
export function jump(start: number, steps: number): number {
  let [factor, summand] = [1, 0];
  let [factorOfBit, summandOfBit] = [FACTOR, SUMMAND];
  for (let left = steps; left > 0; left >>>= 1) {
    if (left & 1) {
      factor = Math.imul(factor, factorOfBit);
      summand = (Math.imul(summand, factorOfBit) + summandOfBit) | 0;
    }
    summandOfBit = (Math.imul(summandOfBit, factorOfBit) + summandOfBit) | 0;
    factorOfBit = Math.imul(factorOfBit, factorOfBit);
  }
  return (Math.imul(start, factor) + summand) >>> 0;
}

export const reconcile: ReconcileFunction<Source> = async ({ key }, { lister }) => {
  const { control, answers, times } = getEnvironmentData(WORK) as unknown as Work;
  const index = Number(lister.get(key)!.data.index);
  answers[index] = walk(index, control[STEPS]!);
  Atomics.add(times, index, 1);
  Atomics.add(control, DONE, 1);
};
