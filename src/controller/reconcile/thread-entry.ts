/** What piscina loads in each reconcile thread. */
import { Lister } from '../../informer/index.ts';
import { threadTasks } from './thread-host.ts';

export default threadTasks((handle) => Lister.attach<object>(handle));
