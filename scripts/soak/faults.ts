/** Faults that come and go by chance, all from one seed. */
import type { Fault, Random, RemoteFakeApiServer } from '../../src/testing/index.ts';

/** A fault lasts between these, and so does the peace between two. */
const LEAST_MS = 500;
const MOST_MS = 6_000;

/** What a server can be made to do: faults of requests, or something to all that is open. */
type Trouble = Fault | { readonly does: 'closeWatches' | 'dropConnections' | 'silenceWatches' | 'compact' };

const TROUBLES: readonly Trouble[] = [
  { fault: 'cut', afterBytes: 20_000 },
  { fault: 'cut', on: 'watch', afterItems: 100 },
  { fault: 'reset', on: 'list', afterBytes: 100_000 },
  { fault: 'reset', on: 'watch', afterItems: 7 },
  { fault: 'silence', on: 'watch', afterItems: 30 },
  { fault: 'silence', on: 'list', times: 1, afterItems: 10 },
  { fault: 'delay', milliseconds: 300 },
  { fault: 'status', code: 429, retryAfterSeconds: 1 },
  { fault: 'status', code: 410, on: 'watch' },
  { fault: 'status', code: 500 },
  { fault: 'status', code: 503 },
  { fault: 'status', code: 502, body: '<html>bad gateway</html>', contentType: 'text/html' },
  { fault: 'wrong-content', on: 'list', times: 2 },
  { fault: 'garbage', on: 'watch', afterItems: 5 },
  { fault: 'truncated', on: 'watch', afterItems: 11 },
  { fault: 'error-event', code: 410, on: 'watch', afterItems: 20 },
  { fault: 'error-event', code: 500, on: 'watch', afterItems: 20 },
  { fault: 'invalid-utf8', on: 'watch', afterItems: 3 },
  { fault: 'lost', on: 'watch', afterItems: 4 },
  { fault: 'no-bookmarks', on: 'watch' },
  { does: 'closeWatches' },
  { does: 'dropConnections' },
  { does: 'silenceWatches' },
  { does: 'compact' },
];

/** Switches faults on and off until the signal comes; then all are off. */
export async function makeTrouble(
  server: RemoteFakeApiServer,
  random: Random,
  signal: AbortSignal,
  onTrouble: (what: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    await pause(LEAST_MS + random.below(MOST_MS), signal);
    if (signal.aborted) break;
    const trouble = TROUBLES[random.below(TROUBLES.length)]!;
    onTrouble('does' in trouble ? trouble.does : `${trouble.fault} ${trouble.on ?? 'all'}`);
    if ('does' in trouble) {
      await server[trouble.does]();
      continue;
    }
    const id = await server.faults.add(trouble);
    // A watch that is open already has no faults of its own: it has to come again.
    if (trouble.on === 'watch') await server.closeWatches();
    await pause(LEAST_MS + random.below(MOST_MS), signal);
    await server.faults.remove(id);
  }
  await server.faults.clear();
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
