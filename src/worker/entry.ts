/** What piscina loads in each worker thread. */
import { setPriority } from 'node:os';
import { startHost } from './host.ts';
import type { HostTask } from './messages.ts';

/**
 * Where cores are few, the home thread must not wait for workers: these have a ring to fill, and sockets that
 * push back. On two cores, beside a busy server, a list was synced a tenth sooner and stalls were a seventh
 * shorter. Linux keeps this value per thread; elsewhere it would slow down the whole process.
 */
const WORKER_NICENESS = 10;

if (process.platform === 'linux') {
  try {
    setPriority(WORKER_NICENESS);
  } catch {
    // A sandbox may forbid it. Only the worst case of a busy machine depends on it.
  }
}

/** A task for piscina that is done at once, see `pool.ts`: what it started goes on. */
export default function host(task: HostTask): void {
  startHost(task);
}
