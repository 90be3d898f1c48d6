/**
 * Runs the tests, or those that are named, with whatever Node runs this.
 *
 *     node scripts/run-tests.ts [FILE…]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Many tests wait for a backoff: on two cores a third one finds room. */
const CONCURRENCY = 3;

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['test/**/*.test.ts'];
const { status } = spawnSync(process.execPath, ['--test', `--test-concurrency=${CONCURRENCY}`, ...files], {
  cwd: ROOT,
  stdio: 'inherit',
  // Some hundred processes and threads load the same sources: without types, and compiled, the second time.
  env: { NODE_COMPILE_CACHE: join(ROOT, 'build/compile-cache'), ...process.env },
});
process.exitCode = status ?? 1;
