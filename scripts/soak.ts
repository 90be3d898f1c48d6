/**
 * Runs an informer for minutes or hours against a server that changes all the time and fails at random, and looks at what
 * must stay flat: memory, sockets, file descriptors, timers, listeners. Once a minute the cache is compared with the
 * server. Exit code 1 when something grew, or the cache was wrong.
 */
import { parseArgs } from 'node:util';
import { describeRun, loadWarning } from '../bench/machine.ts';
import { resultFiles, saveResults } from '../bench/save.ts';
import { runSoak, type SoakOptions } from './soak/run.ts';
import { tableOf } from './soak/verdict.ts';

const USAGE = `npm run soak -- [--minutes M] [--rate R] [--pods N] [--seed S] [--json] [--save]
  --minutes M   how long (default 30); the first fifth warms up
  --rate R      creates, updates and deletes a second (default 500)
  --pods N      Pods that exist at the start (default 5000)
  --seed S      of changes and faults (default 1)
  --json        JSON lines: a header, a sample every five seconds, each comparison, a summary
  --save        write results/<date>-soak.jsonl and .md`;

const LEGEND =
  'median: of the samples after the warm-up; growth: the slope of a robust line through them, times their duration, which ' +
  'must be at most the allowance. Sockets are those of this process that the server sees.';

/** Exit code when options are wrong. */
const MISUSE = 2;
/** Exit code when something grew or was wrong. */
const FAILURE = 1;

const { isJson, isSaved, options } = readOptions();
const header = describeRun('soak', options);
const files = isSaved ? resultFiles(header) : undefined;
const warning = loadWarning(header);
if (warning !== undefined) console.error(`warning: ${warning}`);
const lines: object[] = [];
const report = (line: object) => {
  lines.push(line);
  if (isJson) console.log(JSON.stringify(line));
};
if (isJson) console.log(JSON.stringify(header));
const verdict = await runSoak(options, report, isJson ? () => {} : console.log);
const table = tableOf(verdict);
if (!isJson) {
  console.log(table.title);
  console.table(table.lines);
}
for (const problem of verdict.problems) console.error(problem);
if (verdict.problems.length > 0) process.exitCode = FAILURE;
if (files !== undefined && verdict.problems.length === 0) saveResults(files, header, lines, [table], LEGEND);

function readOptions(): { isJson: boolean; isSaved: boolean; options: SoakOptions } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '30' },
        rate: { type: 'string', default: '500' },
        pods: { type: 'string', default: '5000' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const options = {
      minutes: numberOf('minutes', values.minutes, 0.1),
      rate: numberOf('rate', values.rate, 1),
      pods: numberOf('pods', values.pods, 1),
      seed: numberOf('seed', values.seed, 0),
    };
    return { isJson: values.json, isSaved: values.save, options };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(MISUSE);
  }
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= least) return value;
  throw new Error(`--${name} is a number from ${least} on, not '${text}'`);
}
