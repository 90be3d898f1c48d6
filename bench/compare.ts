/**
 * Compares the checkout with a commit: both take turns under the checkout's benchmark, and each figure is said to be
 * faster, slower or undecided, with how sure that is.
 *
 *     npm run bench:compare -- COMMIT [--scenario S,…] [--objects N] [--samples N] [--mode M] [--json]
 *
 * The exit code is 1 when a version gives a wrong answer; what is slower does not change it.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Judgement, judge, WANTED_CONFIDENCE } from './compare/judge.ts';
import { type CompareOptions, CompareOptionsError, readOptions, USAGE } from './compare/options.ts';
import { type Sampler, type TaskSamples, takeSamples, WrongAnswerError } from './compare/run.ts';
import { makeVersions, type Version, VersionError } from './compare/versions.ts';
import { figureOf, SCENARIO_FIGURES } from './report/figures.ts';
import { number } from './report/page.ts';
import { OURS } from './suite/contender.ts';
import { lookAround } from './suite/machine.ts';
import { takeSample } from './suite/sample.ts';
import { type Task, tasksOf } from './suite/scenarios.ts';
import { openBenchServer } from './suite/server-under-test.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const HOW_TO_READ =
  `after ÷ before: ratio of medians, with a 95 % bootstrap interval; sure: that there is a difference, by a permutation test. ` +
  `Of figures that do not differ, ${Math.round(100 * (1 - WANTED_CONFIDENCE))} % are said to: run it again before you believe one.`;

process.exitCode = await main(process.argv.slice(2));

/** @returns the exit code: 1 for a wrong answer, 2 when nothing could be compared */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options === undefined) console.log(USAGE);
    else await compare(options);
    return 0;
  } catch (error) {
    if (error instanceof WrongAnswerError) {
      console.error(`an answer is WRONG: ${error.message}`);
      return 1;
    }
    if (!(error instanceof CompareOptionsError || error instanceof VersionError)) throw error;
    console.error(error.message);
    return 2;
  }
}

async function compare(options: CompareOptions): Promise<void> {
  const versions = makeVersions(ROOT, options.commit);
  const end = () => {
    versions.remove();
    process.exit(130);
  };
  process.once('SIGINT', end);
  try {
    for (const warning of versions.warnings) console.error(`warning: ${warning}`);
    if ((await lookAround()).busy) console.error('warning: others are at work on this machine');
    const onStep = (text: string) => console.error(text);
    const results = await takeSamples(tasksFor(options), versions, options.samples, samplerFor(options), {
      onStep,
    });
    for (const result of results) print(result, versions, options);
    if (!options.json) console.log(HOW_TO_READ);
  } finally {
    process.off('SIGINT', end);
    versions.remove();
  }
}

function tasksFor({ scenarios, objects, events, seed }: CompareOptions): Task[] {
  return scenarios.flatMap((scenario) =>
    tasksOf(scenario, {
      objects: [objects],
      events,
      objectKind: 'pod',
      transport: 'http',
      seed,
      isFull: false,
    }),
  );
}

function samplerFor({ mode }: CompareOptions): Sampler {
  return async ({ folder }, task) => {
    const server = await openBenchServer(task, 0);
    try {
      const script = join(folder, 'bench', 'contenders', OURS, 'main.ts');
      const command = { file: process.execPath, args: ['--expose-gc', script, OURS] };
      return await takeSample(task, command, mode, server);
    } finally {
      await server.stop();
    }
  };
}

function print(
  { task, before, after }: TaskSamples,
  versions: { readonly before: Version; readonly after: Version },
  { seed, json }: CompareOptions,
): void {
  const { scenario, objects, rate } = task;
  const judgements = judge(before, after, SCENARIO_FIGURES[scenario].compared, seed);
  if (json) {
    for (const judgement of judgements)
      console.log(JSON.stringify({ scenario, objects, rate, ...judgement }));
    return;
  }
  console.log(`\n${scenario}, ${objects} objects${rate === undefined ? '' : ` at ${rate}/s`}`);
  const lines = judgements.map((judgement) => [
    figureOf(judgement.figure).title,
    lineOf(judgement, versions),
  ]);
  console.table(Object.fromEntries(lines));
}

function lineOf(
  { figure, before, after, ratio, low, high, verdict, confidence }: Judgement,
  versions: { readonly before: Version; readonly after: Version },
): Record<string, string> {
  const { digits } = figureOf(figure);
  return {
    [versions.before.name]: number(before, digits),
    [versions.after.name]: number(after, digits),
    'after ÷ before': `${number(ratio, 3)} (${number(low, 3)}–${number(high, 3)})`,
    verdict,
    sure: `${number(confidence * 100, 1)} %`,
  };
}
