/** What is shared with the threads of other parts. */
export { lowerPriority } from '../lower-priority.ts';
