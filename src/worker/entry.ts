/** What piscina loads in each worker thread. */

import { runHost } from './host.ts';
import type { HostTask } from './messages.ts';

export default function host(task: HostTask): Promise<void> {
  return runHost(task);
}
