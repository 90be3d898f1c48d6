/** MessagePack bodies: encoded in a worker, decoded on any thread by means of key lists in shared memory. */
export { MsgpackDecoder } from './decoder.ts';
export { MsgpackEncoder } from './encoder.ts';
export { createStructures, usedStructureBytes } from './shared-structures.ts';
