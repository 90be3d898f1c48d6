/** On what, with what and of what a benchmark was run: the first line of its raw results. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RunHeader {
  readonly type: 'header';
  readonly bench: string;
  readonly startedAt: string;
  readonly command: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly platform: string;
  };
  readonly node: string;
  readonly v8: string;
  readonly versions: { readonly kubering: string; readonly 'client-node': string };
  readonly commit: string;
  /** Files differ from the commit; undefined when that is not known. */
  readonly isDirty: boolean | undefined;
  /** Before the first run. */
  readonly loadavg: readonly number[];
  /** Sizes and seed. */
  readonly options: object;
}

/** Load per core above which somebody else is likely to be at work too. */
const HIGH_LOAD = 0.5;

const ROOT = new URL('../', import.meta.url);

export function describeRun(bench: string, options: object): RunHeader {
  const root = fileURLToPath(ROOT);
  const changes = git(root, 'status', '--porcelain');
  return {
    type: 'header',
    bench,
    startedAt: new Date().toISOString(),
    command: ['node', relative(root, process.argv[1] ?? ''), ...process.argv.slice(2)].join(' '),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 1e8) / 10,
      platform: `${process.platform} ${process.arch}`,
    },
    node: process.version,
    v8: process.versions.v8,
    versions: {
      kubering: versionIn('package.json'),
      'client-node': versionIn('node_modules/@kubernetes/client-node/package.json'),
    },
    commit: git(root, 'rev-parse', 'HEAD') ?? 'unknown',
    isDirty: changes === undefined ? undefined : changes !== '',
    loadavg: loadavg().map((load) => Math.round(load * 100) / 100),
    options,
  };
}

/** A warning when the machine is not quiet, else undefined. */
export function loadWarning({
  loadavg,
  machine,
}: Pick<RunHeader, 'loadavg' | 'machine'>): string | undefined {
  const load = loadavg[0] ?? 0;
  if (load <= machine.cores * HIGH_LOAD) return undefined;
  return `the load average is ${load} on ${machine.cores} cores: figures will be noisy, look at ratios only`;
}

function versionIn(path: string): string {
  return (JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as { version: string }).version;
}

/** What git says; undefined without git or without a repository. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
