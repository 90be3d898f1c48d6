/** The forms of event handlers, and how events are given to each. */
import { DeletedFinalStateUnknown } from '../delta/index.ts';
import { UsageError } from './errors.ts';
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

/**
 * Gets what has come since its last call, in order, at most `HandlerOptions.maxBatch` events. They can be read until
 * it returns or its promise settles.
 */
export interface BatchHandler<T> {
  onBatch(events: readonly InformerEvent<T>[]): HandlerResult;
}

export type Handler<T> = ObjectHandler<T> | EventHandler<T> | BatchHandler<T>;

/** Calls the handler with one event. */
export type Deliver<T> = (event: InformerEvent<T>) => HandlerResult;

/** Calls the handler with several. */
export type DeliverBatch<T> = (events: readonly InformerEvent<T>[]) => HandlerResult;

/** One of the two is there. */
export interface Delivery<T> {
  readonly one: Deliver<T> | undefined;
  readonly batch: DeliverBatch<T> | undefined;
}

const METHODS = ['onEvent', 'onBatch', 'onAdd', 'onUpdate', 'onDelete'] as const;

/** @throws UsageError when the handler is none */
export function deliverTo<T>(handler: Handler<T>): Delivery<T> {
  if (typeof handler !== 'object' || handler === null) {
    const hint = typeof handler === 'function' ? ': give it as { onEvent: yourFunction }' : '';
    throw new UsageError(
      `addEventHandler takes an object with onEvent, onBatch, or onAdd, onUpdate and onDelete, not ${kindOf(handler)}${hint}`,
    );
  }
  const methods = handler as Partial<Record<(typeof METHODS)[number], unknown>>;
  const present = METHODS.filter((name) => methods[name] !== undefined);
  if (present.length === 0) {
    throw new UsageError(`the handler has none of ${METHODS.join(', ')}: nothing would be called`);
  }
  for (const name of present) {
    const method = methods[name];
    if (typeof method !== 'function') {
      throw new UsageError(`${name} of a handler has to be a function, not ${kindOf(method)}`);
    }
  }
  if (present.length > 1 && present.some((name) => name === 'onEvent' || name === 'onBatch')) {
    throw new UsageError(
      `a handler has onEvent, or onBatch, or the others, not ${present.join(' and ')}: an event is given once`,
    );
  }
  if ('onBatch' in handler) return { one: undefined, batch: (events) => handler.onBatch(events) };
  if ('onEvent' in handler) return { one: (event) => handler.onEvent(event), batch: undefined };
  return { one: (event) => deliverObjects(handler, event), batch: undefined };
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

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
