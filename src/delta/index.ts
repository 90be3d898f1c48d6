export { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';
export { DeltaFIFO, type DeltaFIFOOptions, type KnownObjects, type PopHandler } from './delta-fifo.ts';
