/** What piscina loads in each reconcile thread. */
import { Lister } from '../../informer/index.ts';
import { lowerPriority } from '../thread-priority.ts';
import { threadTasks } from './thread-host.ts';

// Whoever asks for threads wants the home thread's event loop to stay free.
lowerPriority();

export default threadTasks((handle) => Lister.attach<object>(handle));
