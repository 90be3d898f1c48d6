/** Runs the tests that find more the longer they run, with more rounds than `npm test` has time for. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface LongTest {
  readonly file: string;
  /** Environment variable that says how long, and its value here. */
  readonly variable: string;
  readonly rounds: number;
}

const TESTS: Readonly<Record<string, LongTest>> = {
  race: { file: 'test/store/reader/race.test.ts', variable: 'KUBERING_RACE_ROUNDS', rounds: 10_000_000 },
  subscriptions: {
    file: 'test/informer/subscription/race.test.ts',
    variable: 'SUBSCRIPTION_ROUNDS',
    rounds: 1_000_000,
  },
  fuzz: { file: 'test/fuzz/*.test.ts', variable: 'FUZZ_BODIES', rounds: 10_000_000 },
  records: { file: 'test/records/fuzz.test.ts', variable: 'RECORDS_BODIES', rounds: 2_000_000 },
};

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const { positionals } = parseArgs({ allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(TESTS);
const unknown = names.filter((name) => TESTS[name] === undefined);
if (unknown.length > 0) {
  throw new Error(`there is no long test '${unknown[0]}': there are ${Object.keys(TESTS).join(' and ')}`);
}
for (const name of names) {
  const { file, variable, rounds } = TESTS[name]!;
  // What is set already wins, so that a run can be made shorter or longer.
  const env = { [variable]: String(rounds), ...process.env };
  console.log(`${file} with ${variable}=${env[variable]}`);
  const { status } = spawnSync(process.execPath, ['--test', file], { cwd: ROOT, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
