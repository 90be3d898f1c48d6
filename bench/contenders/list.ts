/** All contenders, ours first, then in the order in which tables show them. */
import type { Contender } from '../suite/contender.ts';
import { COMPILED } from './compiled-contenders.ts';
import { CLIENT_NODE, FLUENT_CLIENT, KUBERING } from './node-contenders.ts';

export const CONTENDERS: readonly Contender[] = [...KUBERING, CLIENT_NODE, FLUENT_CLIENT, ...COMPILED];
