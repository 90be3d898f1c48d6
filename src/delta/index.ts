export { DeletedFinalStateUnknown, type Delta, DeltaType } from './delta.ts';
export {
  type AsyncPopHandler,
  DeltaFIFO,
  type DeltaFIFOOptions,
  type KnownObjects,
  type PopHandler,
} from './delta-fifo.ts';
export { FIFOClosedError, RequeueError } from './errors.ts';
