export { makeClientNode } from './client-node.ts';
export type { Contender, Entrant, LibraryName, MakeContender, Workload } from './contender.ts';
export { makeKubering } from './kubering.ts';
export { CONTENDERS } from './list.ts';
