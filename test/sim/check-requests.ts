/** Servers that are in trouble must not be stormed: requests are bounded whatever goes wrong. */
import type { World } from './world.ts';

const WINDOW_MS = 60_000;
/** Lists and watches of one reflector in a minute: one a second at most, and some that may follow at once. */
const MAX_REQUESTS = 100;

export function checkRequests({ cluster, loop, subjects, starts }: World): void {
  const { requests } = cluster;
  const counts = new Map<string, number>();
  for (let i = requests.length - 1; i >= 0 && requests[i]!.atMs > loop.nowMs - WINDOW_MS; i--) {
    const { resource, namespace = '', continueToken } = requests[i]!.asked;
    // How many pages there are is the user's choice.
    if (continueToken !== '') continue;
    const name = `${resource} ${namespace}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const recent = starts.filter((atMs) => atMs > loop.nowMs - WINDOW_MS).length;
  const most = MAX_REQUESTS * Math.max(1, recent - subjects.length + 1);
  for (const [name, count] of counts) {
    if (count > most) throw new Error(`${count} requests for ${name} within a minute`);
  }
}
