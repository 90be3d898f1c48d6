/**
 * kubering's main job in one command: a fake API server in another process, a cache of its Pods here, ten
 * seconds of changes, and in the end a comparison of the two, object by object.
 */
import { parseArgs } from 'node:util';
import { runDemo } from './demo/run.ts';

const USAGE = `npm run demo -- [--pods N] [--seconds S] [--rate R] [--json]
  --pods N      Pods that exist at the start (default 20000)
  --seconds S   how long they change (default 10)
  --rate R      creates, updates and deletes a second (default 2000)
  --json        print one JSON line and nothing else`;

const options = readOptions();
const summary = await runDemo(options);
process.exitCode = summary.missing + summary.extra + summary.different === 0 ? 0 : 1;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        pods: { type: 'string', default: '20000' },
        seconds: { type: 'string', default: '10' },
        rate: { type: 'string', default: '2000' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    return {
      pods: atLeast(1, 'pods', values.pods),
      seconds: atLeast(1, 'seconds', values.seconds),
      rate: atLeast(0, 'rate', values.rate),
      json: values.json,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function atLeast(least: number, name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name} is a whole number from ${least} on, not '${text}'`);
}
