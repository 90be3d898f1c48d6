/** The command line of the comparison. */
import { parseArgs } from 'node:util';
import { type Mode, SCENARIOS, type ScenarioName } from '../suite/protocol.ts';
import { LARGEST_FOR_ALL } from '../suite/scenarios.ts';

export interface CompareOptions {
  readonly commit: string;
  readonly scenarios: readonly ScenarioName[];
  readonly objects: number;
  readonly samples: number;
  readonly events: number;
  readonly mode: Mode;
  readonly seed: number;
  readonly json: boolean;
}

/** Thrown for a command line that can't be followed; the message says what can. */
export class CompareOptionsError extends Error {
  override readonly name = 'CompareOptionsError';
  readonly code = 'ERR_BENCH_OPTIONS';
}

/** Needs a server that takes minutes to build. */
const POSSIBLE: readonly ScenarioName[] = SCENARIOS.filter((scenario) => scenario !== 'real');
const DEFAULT_SCENARIOS: readonly ScenarioName[] = ['list', 'events', 'relist'];
const MODES: readonly Mode[] = ['keys', 'two-fields', 'decode-all'];

/** With fewer, medians that lie as far apart as they can are not rare enough to be sure of a difference. */
const LEAST_SAMPLES = 5;

export const USAGE = `npm run bench:compare -- COMMIT [options]
  --scenario S,…   ${POSSIBLE.join(', ')} (default: ${DEFAULT_SCENARIOS.join(',')})
  --objects N      (default: 10000)
  --samples N      of each version, in turn; at least ${LEAST_SAMPLES} (default: 7)
  --events N       of each stream of events (default: 20000)
  --mode M         ${MODES.join(', ')} (default: keys)
  --seed N         of objects, events and resampling (default: 20261201)
  --json           print one JSON line for each figure and nothing else on standard output
  --help           show this`;

/** @returns undefined when help is asked for @throws {@link CompareOptionsError} */
export function readOptions(args: readonly string[]): CompareOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [commit, ...others] = positionals;
  if (commit === undefined || others.length > 0) {
    throw new CompareOptionsError('name the one commit that the checkout is compared with');
  }
  const scenarios = (values.scenario ?? DEFAULT_SCENARIOS).flatMap((text) =>
    text.split(','),
  ) as ScenarioName[];
  for (const scenario of scenarios) oneOf('scenario', scenario, POSSIBLE);
  return {
    commit,
    scenarios,
    objects: wholeNumber('objects', values.objects, 1, LARGEST_FOR_ALL),
    samples: wholeNumber('samples', values.samples, LEAST_SAMPLES),
    events: wholeNumber('events', values.events, 2),
    mode: oneOf('mode', values.mode, MODES),
    seed: wholeNumber('seed', values.seed, 0),
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scenario: { type: 'string', multiple: true },
        objects: { type: 'string', default: '10000' },
        samples: { type: 'string', default: '7' },
        events: { type: 'string', default: '20000' },
        mode: { type: 'string', default: 'keys' },
        seed: { type: 'string', default: '20261201' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CompareOptionsError((error as Error).message, { cause: error });
  }
}

function oneOf<T extends string>(name: string, text: string, all: readonly T[]): T {
  const found = all.find((one) => one === text);
  if (found !== undefined) return found;
  throw new CompareOptionsError(`--${name} is one of ${all.join(', ')}, not '${text}'`);
}

function wholeNumber(name: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new CompareOptionsError(`--${name} is a whole number ${range}, not '${text}'`);
}
