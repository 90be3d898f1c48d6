/** The two forms of event handlers, and how one event is given to either. */
import { DeletedFinalStateUnknown } from '../delta/index.ts';
import type { InformerEvent } from './event.ts';

/** What a handler may return: nothing, or a promise that the next event waits for. */
export type HandlerResult = void | Promise<void>;

/**
 * Gets plain objects, decoded just before the call. Objects are shared with the cache: read-only.
 * Source: `ResourceEventHandler` in client-go's `tools/cache/controller.go`.
 */
export interface ObjectHandler<T> {
  /** @param isInInitialList - the object existed when the handler was added or the informer started */
  onAdd?(object: T, isInInitialList: boolean): HandlerResult;
  onUpdate?(before: T, after: T): HandlerResult;
  /** Gets a {@link DeletedFinalStateUnknown} when a list no longer had the object. */
  onDelete?(object: T | DeletedFinalStateUnknown<T>): HandlerResult;
}

/** Gets events, of which nothing is decoded until it is looked at: enqueueing a key costs nothing. */
export interface EventHandler<T> {
  onEvent(event: InformerEvent<T>): HandlerResult;
}

export type Handler<T> = ObjectHandler<T> | EventHandler<T>;

/** Calls the handler with one event. */
export type Deliver<T> = (event: InformerEvent<T>) => HandlerResult;

/** @throws TypeError when the handler has none of the methods */
export function deliverTo<T>(handler: Handler<T>): Deliver<T> {
  if (typeof handler !== 'object' || handler === null) {
    throw new TypeError('addEventHandler takes an object with onEvent, or with onAdd, onUpdate and onDelete');
  }
  if ('onEvent' in handler) {
    if (typeof handler.onEvent !== 'function') throw new TypeError('onEvent has to be a function');
    return (event) => handler.onEvent(event);
  }
  if (!handler.onAdd && !handler.onUpdate && !handler.onDelete) {
    throw new TypeError(
      'the handler has none of onEvent, onAdd, onUpdate, onDelete: nothing would be called',
    );
  }
  return (event) => deliverObjects(handler, event);
}

function deliverObjects<T>(handler: ObjectHandler<T>, event: InformerEvent<T>): HandlerResult {
  switch (event.type) {
    case 'add':
      return handler.onAdd?.(event.object, event.isInitial);
    case 'update':
      // Methods are looked up before the objects, so that a handler without them decodes nothing.
      return handler.onUpdate?.(event.oldObject as T, event.object);
    case 'delete':
      return handler.onDelete?.(
        event.isFinalStateUnknown ? new DeletedFinalStateUnknown(event.key, event.object) : event.object,
      );
  }
}
