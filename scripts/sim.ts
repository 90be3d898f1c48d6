/**
 * Runs the simulation: the reflector, its worker, the DeltaFIFO, the store, informers and handlers in one thread, with a
 * model of an API server, faults and a clock that are drawn from a seed. See docs/testing.md.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { shrink, simulate } from '../test/sim/index.ts';
import { describeFailure } from './sim/describe-failure.ts';
import { Progress } from './sim/progress.ts';
import { runSeeds } from './sim/run-seeds.ts';

const USAGE = `npm run sim -- [--seeds N] [--first F] [--processes P] [--json]
npm run sim -- --seed S [--only I,J,…] [--json]
  --seeds N       how many seeds to run (default 200)
  --first F       the first of them (default 1)
  --processes P   how many processes share the work (default: one per processor)
  --seed S        one seed alone
  --only I,J,…    only these of its steps, as a failure that was shrunk names them
  --json          print one JSON line and nothing else`;

/** Exit code when options are wrong. */
const MISUSE = 2;
/** Exit code when a seed failed. */
const FAILURE = 1;

const options = readOptions();
process.exitCode = options.seed === undefined ? await many(options) : await one(options.seed, options);

type Options = ReturnType<typeof readOptions>;

async function many({ first, seeds, processes, json }: Options): Promise<number> {
  const startMs = performance.now();
  const progress = json ? undefined : new Progress(seeds);
  const summary = await runSeeds({ first, seeds, processes, onOutcome: () => progress?.step() });
  progress?.end();
  const seconds = Number(((performance.now() - startMs) / 1000).toFixed(1));
  if (json) console.log(JSON.stringify({ ...summary, seconds }));
  else {
    const { tasks, requests, writes, events, simulatedHours } = summary;
    console.log(
      `${seeds} seeds in ${seconds} s: ${simulatedHours.toFixed(0)} hours of simulated time, ${requests} requests, ` +
        `${writes} writes, ${events} events for handlers, ${tasks} turns; ${summary.failed.length} failed`,
    );
    for (const { seed, message } of summary.failed) console.log(`seed ${seed}: ${message}`);
  }
  const lowest = summary.failed[0];
  if (lowest === undefined) return 0;
  if (!json) await one(lowest.seed, { json, only: undefined });
  return FAILURE;
}

async function one(seed: number, { only, json }: Pick<Options, 'only' | 'json'>): Promise<number> {
  const outcome = await simulate(seed, { only });
  const { failure, trace: _, ...figures } = outcome;
  if (json) console.log(JSON.stringify({ ...figures, failure: failure?.message ?? null }));
  else if (failure === undefined) console.log(`seed ${seed} is as it has to be: ${JSON.stringify(figures)}`);
  else console.log(describeFailure(outcome, only === undefined ? await shrink(outcome) : undefined));
  return failure === undefined ? 0 : FAILURE;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seeds: { type: 'string', default: '200' },
        first: { type: 'string', default: '1' },
        processes: { type: 'string' },
        seed: { type: 'string' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (values.only !== undefined && values.seed === undefined)
      throw new Error('--only is for a single --seed');
    return {
      seeds: wholeNumber('seeds', values.seeds, 1),
      first: wholeNumber('first', values.first, 0),
      processes: wholeNumber('processes', values.processes ?? String(availableParallelism()), 1),
      seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed, 0),
      only: values.only?.split(',').map((number) => wholeNumber('only', number, 0)),
      json: values.json,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(MISUSE);
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text !== '' && Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name} takes whole numbers from ${least} on, not '${text}'`);
}
