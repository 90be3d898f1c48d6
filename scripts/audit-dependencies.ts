/**
 * Asks the registry whether something is known against what kubering depends on at run time. Exit code 1 when there is.
 * Without a registry that answers nothing is known, which is said, and no failure: `npm run check` works offline. With
 * `--strict`, as where releases are made, that is a failure too.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readAudit } from './audit/read-audit.ts';

const TIMEOUT_MS = 60_000;

const { values } = parseArgs({ options: { strict: { type: 'boolean', default: false } } });
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: fileURLToPath(new URL('../', import.meta.url)),
  encoding: 'utf8',
  timeout: TIMEOUT_MS,
});
const { advisories, problem } = readAudit(stdout ?? '');
for (const advisory of advisories) console.error(advisory);
if (problem !== undefined) console.error(`dependencies were not audited: ${problem}`);
if (advisories.length > 0 || (values.strict && problem !== undefined)) process.exitCode = 1;
else if (problem === undefined) console.log('nothing is known against the dependencies');
