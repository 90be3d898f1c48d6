/** The command line of the suite. */
import { parseArgs } from 'node:util';
import { OBJECT_KINDS, type ObjectKind } from '../server/index.ts';
import { SCENARIOS, type ScenarioName } from './protocol.ts';
import type { TaskSizes } from './scenarios.ts';

/** What is measured: kept in the header, so that a run can go on with it. */
export interface Selection extends TaskSizes {
  readonly scenarios: readonly ScenarioName[];
  /** Empty for all that can run here. */
  readonly contenders: readonly string[];
  readonly samples: number;
  readonly port: number;
}

export interface SuiteOptions {
  readonly selection: Selection;
  readonly json: boolean;
  /** Into `results/`. */
  readonly save: boolean;
  readonly out?: string;
  readonly resume: boolean;
  /** Told on the command line, other than where results go: a resumed run has these from its file. */
  readonly selected: readonly string[];
}

/** Thrown for a command line that can't be followed; the message says what can. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly code = 'ERR_BENCH_OPTIONS';
}

export const USAGE = `npm run bench -- [options]
  --scenario S,…     ${SCENARIOS.join(', ')} (default: all but real)
  --contenders C,…   names of contenders (default: all that can run here)
  --objects N,…      sizes, as 50000 or 50k (default: 10k,50k; with --full 10k,50k,100k,1000k)
  --samples N        samples of each cell (default: 3; with --full 5)
  --events N         events of each stream (default: 20000)
  --kind K           ${OBJECT_KINDS.join(', ')} (default: pod)
  --tls              over TLS
  --full             all sizes
  --seed N           of objects and events (default: 20261201)
  --port N           of the benchmark server (default: any that is free)
  --json             print results as JSON lines and nothing else on standard output
  --save             write results/<date>-bench.jsonl
  --out FILE         write there instead
  --resume           go on with the run that was interrupted, with what it was asked for
  --help             show this`;

const DEFAULT_OBJECTS = [10_000, 50_000];
const FULL_OBJECTS = [10_000, 50_000, 100_000, 1_000_000];
const DEFAULT_SAMPLES = 3;
const FULL_SAMPLES = 5;
/** A slow contender takes ten seconds for them. */
const DEFAULT_EVENTS = 20_000;
const DEFAULT_SEED = 20_261_201;
/** Needs a real API server, which takes minutes to build and to fill. */
const ON_DEMAND: readonly ScenarioName[] = ['real'];
const DEFAULT_SCENARIOS = SCENARIOS.filter((scenario) => !ON_DEMAND.includes(scenario));

/** Options that say where results go and how they are shown, not what is measured. */
const OUTPUT_OPTIONS = ['json', 'save', 'out', 'resume', 'help'];

/** @returns undefined when help is asked for @throws {@link OptionsError} */
export function readOptions(args: readonly string[]): SuiteOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const isFull = values.full === true;
  const scenarios = listOf(values.scenario) as ScenarioName[];
  const unknown = scenarios.find((name) => !SCENARIOS.includes(name));
  if (unknown !== undefined) {
    throw new OptionsError(`there is no scenario '${unknown}'; there are ${SCENARIOS.join(', ')}`);
  }
  const kind = values.kind ?? 'pod';
  if (!OBJECT_KINDS.includes(kind as ObjectKind)) {
    throw new OptionsError(`there are no objects of kind '${kind}'; there are ${OBJECT_KINDS.join(', ')}`);
  }
  const objects = listOf(values.objects).map((text) => wholeNumber('objects', text, 1));
  const selection: Selection = {
    scenarios: scenarios.length > 0 ? scenarios : DEFAULT_SCENARIOS,
    contenders: listOf(values.contenders),
    objects: (objects.length > 0 ? objects : isFull ? FULL_OBJECTS : DEFAULT_OBJECTS).toSorted(
      (a, b) => a - b,
    ),
    samples: number('samples', values.samples, isFull ? FULL_SAMPLES : DEFAULT_SAMPLES, 1),
    // A rate needs a first and a last event.
    events: number('events', values.events, DEFAULT_EVENTS, 2),
    objectKind: kind as ObjectKind,
    transport: values.tls ? 'https' : 'http',
    seed: number('seed', values.seed, DEFAULT_SEED, 0),
    port: number('port', values.port, 0, 0),
    isFull,
  };
  return {
    selection,
    json: values.json ?? false,
    save: values.save ?? false,
    ...(values.out !== undefined && { out: values.out }),
    resume: values.resume ?? false,
    selected: Object.keys(values).filter((name) => !OUTPUT_OPTIONS.includes(name)),
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        scenario: { type: 'string', multiple: true },
        contenders: { type: 'string', multiple: true },
        objects: { type: 'string', multiple: true },
        samples: { type: 'string' },
        events: { type: 'string' },
        kind: { type: 'string' },
        tls: { type: 'boolean' },
        full: { type: 'boolean' },
        seed: { type: 'string' },
        port: { type: 'string' },
        json: { type: 'boolean' },
        save: { type: 'boolean' },
        out: { type: 'string' },
        resume: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw new OptionsError((error as Error).message, { cause: error });
  }
}

function listOf(texts: readonly string[] | undefined): string[] {
  const parts = (texts ?? []).flatMap((text) => text.split(','));
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

function number(name: string, text: string | undefined, otherwise: number, least: number): number {
  return text === undefined ? otherwise : wholeNumber(name, text, least);
}

function wholeNumber(name: string, text: string, least: number): number {
  const match = /^(\d+)(k?)$/.exec(text);
  const value = match === null ? Number.NaN : Number(match[1]) * (match[2] === 'k' ? 1000 : 1);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionsError(`--${name} is a whole number from ${least} on, not '${text}'`);
}
