/** Takes samples of two versions in turn. */
import type { SampleFigures } from '../suite/results.ts';
import type { Task } from '../suite/scenarios.ts';
import type { Version } from './versions.ts';

/** @returns figures, or what was wrong with the answer */
export type Sampler = (
  version: Version,
  task: Task,
) => Promise<{ readonly figures?: SampleFigures; readonly problems: readonly string[] }>;

export interface TaskSamples {
  readonly task: Task;
  readonly before: readonly SampleFigures[];
  readonly after: readonly SampleFigures[];
}

export interface CompareIo {
  /** Told before each sample. */
  readonly onStep: (text: string) => void;
}

/** Thrown when a version gives a wrong answer: then there is nothing to compare. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
  readonly code = 'ERR_BENCH_WRONG_ANSWER';
}

/**
 * One sample of each that doesn't count, then one of each in every round; who comes first changes with the round, so
 * that a machine that gets slower or faster does it to both.
 *
 * @throws {@link WrongAnswerError}
 */
export async function takeSamples(
  tasks: readonly Task[],
  versions: { readonly before: Version; readonly after: Version },
  samples: number,
  sampler: Sampler,
  { onStep }: CompareIo,
): Promise<TaskSamples[]> {
  const { before, after } = versions;
  const results: TaskSamples[] = [];
  for (const task of tasks) {
    const taken = new Map<Version, SampleFigures[]>([
      [before, []],
      [after, []],
    ]);
    for (let round = -1; round < samples; round++) {
      for (const version of round % 2 === 0 ? [before, after] : [after, before]) {
        const which = round < 0 ? 'warm-up' : `${round + 1} of ${samples}`;
        onStep(`${task.scenario}, ${task.objects} objects, ${version.name}: ${which}`);
        const { figures, problems } = await sampler(version, task);
        if (figures === undefined || problems.length > 0) {
          throw new WrongAnswerError(`${version.name}, ${task.scenario}: ${problems.join('; ')}`);
        }
        if (round >= 0) taken.get(version)!.push(figures);
      }
    }
    results.push({ task, before: taken.get(before)!, after: taken.get(after)! });
  }
  return results;
}
