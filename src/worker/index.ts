export { WorkerLink } from './link.ts';
export type { ReflectorSpec } from './messages.ts';
export { HostPool } from './pool.ts';
