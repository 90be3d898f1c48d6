/** Whether an answer is right: figures of a wrong answer are worth nothing. */
import type { ChurnResult, Truth } from '../server/index.ts';
import type { ContenderAnswer, ScenarioName } from './protocol.ts';

/** What a handler that was told everything has seen. */
export interface Expected {
  readonly scenario: ScenarioName;
  /** On the first list. */
  readonly listed: number;
  readonly churn?: ChurnResult;
  /** At the end. */
  readonly truth: Pick<Truth, 'objects' | 'hash'>;
}

/** Scenarios in which events come one after the other, and thus have an order. */
const ORDERED: readonly ScenarioName[] = ['events', 'latency', 'mixed', 'slow-handler'];

/** @returns what is wrong, a sentence each; empty when the answer is right */
export function problemsOf(answer: ContenderAnswer, expected: Expected): string[] {
  const { scenario, listed, churn, truth } = expected;
  const problems: string[] = [];
  const expect = (what: string, actual: unknown, wanted: unknown): void => {
    if (actual !== wanted) problems.push(`${what}: ${actual} instead of ${wanted}`);
  };
  expect('objects in the cache', answer.objects, truth.objects);
  expect('hash of keys and resourceVersions', answer.hash, truth.hash);
  // A relist may tell of objects again, and a slow handler may be spared states in between.
  if (scenario !== 'relist' && scenario !== 'slow-handler') {
    // Not every library tells adds and updates apart.
    const adds = listed + (churn?.adds ?? 0);
    expect('adds and updates', answer.adds + answer.updates, adds + (churn?.updates ?? 0));
    expect('deletes', answer.deletes, churn?.deletes ?? 0);
    expect('merged events', answer.merged, 0);
  }
  if (ORDERED.includes(scenario)) expect('events out of order', answer.outOfOrder, 0);
  // A relist begins with an error, which is what it is about.
  if (scenario !== 'relist') for (const error of answer.errors) problems.push(`error: ${error}`);
  return problems;
}
