/** The command line of the smoke benchmark. */
import { parseArgs } from 'node:util';
import type { RunOptions } from './run.ts';

export interface SmokeOptions extends RunOptions {
  readonly rounds: number;
  readonly json: boolean;
  readonly save: boolean;
}

export const USAGE = `npm run bench:smoke -- [--pods N] [--events N] [--rounds N] [--seed N] [--json] [--save]
  --pods N      Pods on the list (default 10000)
  --events N    updates on the watch (default 20000)
  --rounds N    runs of each contender, interleaved (default 3)
  --seed N      of Pods and updates (default 20261130)
  --json        print one JSON line and nothing else
  --save        write results/<date>-smoke.jsonl and .md`;

/** @returns undefined when help is asked for @throws Error when an option is unknown or out of range */
export function readOptions(args: readonly string[]): SmokeOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pods: { type: 'string', default: '10000' },
      events: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      seed: { type: 'string', default: '20261130' },
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    pods: wholeNumber('pods', values.pods, 1),
    // A rate needs a first and a last event.
    events: wholeNumber('events', values.events, 2),
    rounds: wholeNumber('rounds', values.rounds, 1),
    seed: wholeNumber('seed', values.seed, 0),
    json: values.json,
    save: values.save,
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`--${name} is a whole number from ${least} on, not '${text}'`);
}
