/** A process that runs a batch of seeds and ends. */
import { simulate } from '../../test/sim/index.ts';
import type { Batch, SeedReport } from './messages.ts';

/** Most memory of a seed is shared memory, which does not move V8 to collect garbage. */
const COLLECT_EVERY_SEEDS = 25;

let running = -1;
const nothing = { tasks: 0, requests: 0, writes: 0, events: 0, simulatedMs: 0 };

// What nobody could catch: the seed is to blame, and the process can't be trusted any more.
process.once('uncaughtException', (error) => {
  const report: SeedReport = { seed: running, message: `uncaught: ${error.message}`, ...nothing };
  process.send!(report, () => process.exit(1));
});

process.once('message', async ({ first, seeds }: Batch) => {
  for (running = first; running < first + seeds; running++) {
    const { failure, tasks, requests, writes, events, simulatedMs } = await simulate(running);
    const seed = running;
    const report: SeedReport = {
      seed,
      message: failure?.message,
      tasks,
      requests,
      writes,
      events,
      simulatedMs,
    };
    process.send!(report);
    if (running % COLLECT_EVERY_SEEDS === 0) globalThis.gc?.();
  }
  process.disconnect();
});
