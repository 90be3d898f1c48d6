/**
 * kubering: Kubernetes informers whose lists and watches run in worker threads, and whose caches lie in
 * shared memory.
 *
 * @packageDocumentation
 */
export { DeletedFinalStateUnknown } from './delta/index.ts';
export { drop, FieldOptionsError, FieldPathError, indexBy, type Projection } from './index/index.ts';
export {
  type EventHandler,
  type FactoryOptions,
  type FactoryStats,
  type Handler,
  type HandlerResult,
  InformerError,
  InformerEvent,
  type InformerEvents,
  type InformerEventType,
  type InformerHealth,
  type InformerOptions,
  type InformerStats,
  Lister,
  type ObjectHandler,
  ObjectRef,
  Registration,
  SharedInformer,
  SharedInformerFactory,
  StoppedError,
  UsageError,
} from './informer/index.ts';
export {
  extractList,
  type ListBytes,
  type ListerWatcher,
  type ListOptions,
  ListWatch,
  ListWatchError,
  type ListWatchFunctions,
  type ObjectList,
  resourceVersionOf,
  type WatchEvent,
  type WatchOptions,
  type WatchStream,
} from './list-watch/index.ts';
export {
  compareResourceVersions,
  InvalidResourceError,
  type ReflectorState,
  type ResourceRef,
} from './reflector/index.ts';
export { DecodeError, ReleasedObjectError, UnknownFieldError } from './store/index.ts';
export { CredentialsError } from './transport/index.ts';
