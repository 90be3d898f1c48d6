/** On what, with what and of what a run is. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Contender } from './contender.ts';
import type { HeaderLine } from './results.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Above this share of the processors, somebody else is at work, too. */
const BUSY_SHARE = 0.2;
const LOOK_MS = 250;

export interface Quiet {
  /** Load average of the last minute: our own samples are in it. */
  readonly load: number;
  /** Measured while nothing of ours runs. */
  readonly busy: boolean;
}

/** Looks at the processors for a moment, in which the caller must not do anything. */
export async function lookAround(): Promise<Quiet> {
  const before = processorTimes();
  await sleep(LOOK_MS);
  const after = processorTimes();
  const share = (after.busy - before.busy) / Math.max(1, after.all - before.all);
  return { load: loadNow(), busy: share > BUSY_SHARE };
}

export function loadNow(): number {
  return Math.round(loadavg()[0]! * 100) / 100;
}

export function machine(): HeaderLine['machine'] {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e8) / 10,
    kernel: release(),
    os: osName(),
  };
}

export async function versionsOf(contenders: readonly Contender[]): Promise<Record<string, string>> {
  const versions: Record<string, string> = { node: process.version, v8: process.versions.v8 };
  for (const contender of contenders) Object.assign(versions, await contender.versions());
  return versions;
}

/** The commit that is checked out, and whether files differ from it. */
export function revision(): Pick<HeaderLine, 'commit' | 'localChanges'> {
  const changes = git('status', '--porcelain');
  return {
    commit: git('rev-parse', 'HEAD') ?? 'unknown',
    ...(changes !== undefined && { localChanges: changes !== '' }),
  };
}

/** What git says; undefined without git or without a repository. */
function git(...args: string[]): string | undefined {
  try {
    const stdio = ['ignore' as const, 'pipe' as const, 'ignore' as const];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio }).trim();
  } catch {
    return undefined;
  }
}

function osName(): string {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    return /^PRETTY_NAME="?(.*?)"?$/m.exec(text)?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

function processorTimes(): { busy: number; all: number } {
  let busy = 0;
  let all = 0;
  for (const { times } of cpus()) {
    const { user, nice, sys, idle, irq } = times;
    busy += user + nice + sys + irq;
    all += user + nice + sys + irq + idle;
  }
  return { busy, all };
}
