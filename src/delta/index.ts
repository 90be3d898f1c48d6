export { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';
export { DeltaFIFO } from './delta-fifo.ts';
