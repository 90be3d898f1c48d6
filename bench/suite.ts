/**
 * The benchmark suite: kubering beside every peer that can be built here. How it measures and what the figures mean is
 * in bench/README.md.
 *
 *     npm run bench -- [--full] [--scenario S] [--contenders C] [--objects N] [--samples N] [--save] [--resume]
 */
import { CONTENDERS } from './contenders/index.ts';
import { CannotRunError } from './suite/checks.ts';
import { OptionsError, readOptions, type SuiteOptions, USAGE } from './suite/options.ts';
import { printTables } from './suite/print.ts';
import { RealServer } from './suite/real-server.ts';
import type { ResultLine } from './suite/results.ts';
import { type RunIo, runSuite } from './suite/run.ts';
import { openBenchServer } from './suite/server-under-test.ts';

process.exitCode = await main(process.argv.slice(2));

/** @returns the exit code: 1 when an answer is wrong, 2 when the run could not begin */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options !== undefined) return await bench(options, args);
    console.log(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof OptionsError || error instanceof CannotRunError)) throw error;
    console.error(error.message);
    if (error instanceof OptionsError) console.error('--help shows all options');
    return 2;
  }
}

async function bench(options: SuiteOptions, args: readonly string[]): Promise<number> {
  process.once('SIGINT', () => {
    console.error('\ninterrupted: what was measured is kept, and --resume goes on with it');
    process.exit(130);
  });
  const real = new RealServer(console.error);
  try {
    const io: RunIo = {
      onLine: (line) => {
        if (options.json) console.log(JSON.stringify(line));
      },
      say: console.error,
      isTerminal: process.stderr.isTTY === true,
      name: 'bench',
      command: ['npm run bench --', ...args].join(' '),
    };
    const lines = await runSuite(options, CONTENDERS, io, {
      open: (task, port) => (task.scenario === 'real' ? real.open(task) : openBenchServer(task, port)),
    });
    if (!options.json) printTables(lines);
    return exitCodeOf(lines);
  } finally {
    await real.stop();
  }
}

function exitCodeOf(lines: readonly ResultLine[]): number {
  const wrong = lines.filter((line) => line.kind === 'sample' && !line.answer.right);
  if (wrong.length === 0) return 0;
  console.error(`${wrong.length} answers are WRONG: their figures mean nothing`);
  return 1;
}
