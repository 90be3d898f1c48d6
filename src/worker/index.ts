export { WorkerLink } from './link.ts';
export { HostPool } from './pool.ts';
