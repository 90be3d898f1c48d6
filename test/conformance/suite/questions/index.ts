/** What both servers are asked, in an order in which reads see what writes left. */
import { LARGE, READS, UNAUTHORIZED } from './reads.ts';
import { FORGOTTEN, REMEMBERED, WATCHES } from './watches.ts';
import { CLEARED, WRITES } from './writes.ts';

export type { Question } from './question.ts';
export { CLEARED, FORGOTTEN, REMEMBERED, UNAUTHORIZED };

export const QUESTIONS = [...WRITES, ...READS, ...WATCHES, ...LARGE];
