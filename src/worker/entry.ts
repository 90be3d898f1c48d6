/** What piscina loads in each worker thread. */
import { lowerPriority } from '../lower-priority.ts';
import { startHost } from './host.ts';
import type { HostTask } from './messages.ts';

// Workers have a ring to fill, and sockets that push back.
lowerPriority();

/** A task for piscina that is done at once, see `pool.ts`: what it started goes on. */
export default function host(task: HostTask): void {
  startHost(task);
}
