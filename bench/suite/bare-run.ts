/** What the server can give at most, measured with every run: a figure near it is the server's, not the client's. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BenchServerProcess, pathOf, resourceOf } from '../server/index.ts';
import type { BareReaderSays } from './bare-reader.ts';
import type { HeaderLine } from './results.ts';
import type { TaskSizes } from './scenarios.ts';

const SCRIPT = fileURLToPath(new URL('./bare-reader.ts', import.meta.url));

/** Enough to be timed, and no more. */
const MAX_OBJECTS = 10_000;
const EVENTS = 30_000;

type Options = Pick<TaskSizes, 'objects' | 'objectKind' | 'transport' | 'seed'>;

export async function runBareReader(options: Options): Promise<HeaderLine['bareReader']> {
  const { objectKind: kind, transport, seed } = options;
  const objects = Math.min(MAX_OBJECTS, ...options.objects);
  const server = await BenchServerProcess.start({ kind, objects, seed, tls: transport === 'https' });
  try {
    const { lastVersion } = await server.truth();
    const events = kind === 'configmap100k' ? EVENTS / 10 : EVENTS;
    const task = {
      url: server.url,
      path: pathOf(resourceOf(kind)),
      resourceVersion: String(lastVersion),
      events,
    };
    const reader = spawn(process.execPath, [SCRIPT, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said: BareReaderSays = {};
    for await (const line of createInterface({ input: reader.stdout })) {
      const words = JSON.parse(line) as BareReaderSays;
      said = { ...said, ...words };
      if (words.watching) await makeEvents(server, events);
    }
    const { listMBps, eventsPerSecond } = said;
    if (listMBps === undefined || eventsPerSecond === undefined)
      throw new Error('the bare reader did not finish');
    return { listMBps: Math.round(listMBps), eventsPerSecond: Math.round(eventsPerSecond) };
  } finally {
    await server.stop();
  }
}

async function makeEvents(server: BenchServerProcess, events: number): Promise<void> {
  while ((await server.usage()).openWatches === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  // The reader leaves when it has them all; what it says then is waited for by the caller.
  await server.churn({ events, mix: 'updates' });
}
