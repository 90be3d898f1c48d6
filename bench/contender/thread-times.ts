/** CPU of this process by name of thread, as Linux tells it; nothing elsewhere. */
import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';

/** Where the clock of `stat` ticks: in hundredths of a second on all Linux that Node.js runs on. */
const TICK_MS = 10;
const NANOSECONDS_PER_MS = 1e6;

/** Fields of `stat` behind the name, which ends with the last bracket. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** CPU of each thread in ms, by its number and name. */
export type ThreadTimes = ReadonlyMap<string, { readonly name: string; readonly cpuMs: number }>;

export function threadTimes(): ThreadTimes {
  const times = new Map<string, { name: string; cpuMs: number }>();
  for (const id of threadIds()) {
    try {
      times.set(id, timeOf(id));
    } catch {
      // It ended meanwhile.
    }
  }
  return times;
}

/** What each name took between two looks, in ms. A thread that ended in between is missing. */
export function timesBetween(before: ThreadTimes, after: ThreadTimes): Record<string, number> {
  const byName: Record<string, number> = {};
  for (const [id, { name, cpuMs }] of after) {
    const tookMs = cpuMs - (before.get(id)?.cpuMs ?? 0);
    byName[name] = Math.round(((byName[name] ?? 0) + tookMs) * 100) / 100;
  }
  return byName;
}

function threadIds(): string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}

function timeOf(id: string): { name: string; cpuMs: number } {
  const stat = readFileSync(`${TASKS}/${id}/stat`, 'utf8');
  const name = id === String(process.pid) ? 'main' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  return { name, cpuMs: exactMs(id) ?? ticksOf(stat) * TICK_MS };
}

/** In nanoseconds, where the kernel was built to tell. */
function exactMs(id: string): number | undefined {
  try {
    const [onCpu] = readFileSync(`${TASKS}/${id}/schedstat`, 'utf8').split(' ');
    return Number(onCpu) / NANOSECONDS_PER_MS;
  } catch {
    return undefined;
  }
}

function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
}
