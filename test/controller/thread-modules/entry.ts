/** What reconcile threads run in tests: caches are what `handle` gave. */

import { threadTasks } from '../../../src/controller/reconcile/thread-host.ts';
import type { Lister } from '../../../src/informer/index.ts';

export default threadTasks((handle) => {
  if ((handle as unknown) === 'broken') throw new Error('the handle is broken');
  return handle as unknown as Lister<object>;
});
