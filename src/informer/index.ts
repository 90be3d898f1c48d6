export { InformerError, StoppedError, UsageError } from './errors.ts';
export { InformerEvent, type InformerEventType } from './event.ts';
export { type FactoryOptions, type FactoryStats, SharedInformerFactory } from './factory.ts';
export type { EventHandler, Handler, HandlerResult, ObjectHandler } from './handlers.ts';
export { type InformerEvents, type InformerStats, SharedInformer } from './informer.ts';
export { Lister } from './lister.ts';
export { ObjectRef } from './object-ref.ts';
export type { InformerOptions } from './options.ts';
export { Registration } from './registration.ts';
