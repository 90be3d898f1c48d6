/** Runs the client of a language, which fetches and compiles what a contender is made of. */
import { execFile, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';

/** A build takes minutes on all processors: whatever else runs on the machine comes first. */
const NICENESS = 15;

/** How often a long build says that it is alive. */
const PROGRESS_INTERVAL_MS = 15_000;

/** Enough of a compiler's output to see what is wrong. */
const ERROR_LINES = 30;

/** A tool is missing, or could not build something. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

export interface ToolRun {
  readonly tool: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a tool says of its version; undefined when it is not there. */
export async function versionOfTool(tool: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(tool, args);
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** Runs a tool to its end, telling every now and then how far it is. @throws BuildError with its last words */
export async function runTool(run: ToolRun, log: (line: string) => void): Promise<void> {
  const { tool, args, folder, env } = run;
  log(`${tool} ${args[0]} in ${folder}: some minutes the first time, nothing later`);
  const child = spawn(tool, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const startMs = performance.now();
  let lines: string[] = [];
  let count = 0;
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    count += parts.length;
    lines = [...lines, ...parts].slice(-ERROR_LINES);
  });
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    log(`  ${tool}: ${count} lines of output, ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  }, PROGRESS_INTERVAL_MS);
  const done = Promise.withResolvers<void>();
  child.once('spawn', () => lowerPriority(child.pid!));
  child.once('error', (error) => done.reject(new BuildError(`${tool} could not be run: ${error.message}`)));
  child.once('close', (code) => {
    if (code === 0) done.resolve();
    else done.reject(new BuildError(`${tool} ${args[0]} failed:\n${[...lines, rest].join('\n')}`));
  });
  try {
    await done.promise;
  } finally {
    clearInterval(timer);
  }
}

/** Compilers that the tool starts inherit it. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has ended already, or the system has no priorities: the build only takes its full share.
  }
}
