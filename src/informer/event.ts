/** What handlers of the `onEvent` form get. */
import type { BlockRef } from '../store/index.ts';
import { type ObjectContext, ObjectRef } from './object-ref.ts';

export type InformerEventType = 'add' | 'update' | 'delete';

/**
 * One change of one object. What it inherits describes the state after the change; of a delete, the last
 * state. It can be read until the handler returns or its promise settles, see {@link ObjectRef}.
 */
export class InformerEvent<T = object> extends ObjectRef<T> {
  readonly type: InformerEventType;
  /** True for objects that existed when the handler was added or the informer started. */
  readonly isInitial: boolean;
  /**
   * True for a delete that nobody saw: a list no longer had the object, so `object` is the last state that
   * was seen, which may be older than the one that was deleted.
   */
  readonly isFinalStateUnknown: boolean;
  /** Listeners that did not finish with it. @internal */
  pending = 0;
  /** Its blocks are held until `pending` is 0. @internal */
  isHeld = false;

  readonly #old: ObjectRef<T> | undefined;

  /** @internal */
  constructor(
    context: ObjectContext,
    type: InformerEventType,
    block: BlockRef,
    oldBlock: BlockRef | undefined,
    isInitial: boolean,
    isFinalStateUnknown: boolean,
  ) {
    super(context, block);
    this.type = type;
    this.isInitial = isInitial;
    this.isFinalStateUnknown = isFinalStateUnknown;
    this.#old = oldBlock === undefined ? undefined : new ObjectRef<T>(context, oldBlock);
  }

  /** The object before an update; undefined for an add or a delete. Throws as `object` does. */
  get oldObject(): T | undefined {
    return this.#old?.object;
  }

  /** True for an update without a change: the object again, for handlers that asked for resyncs. */
  get isResync(): boolean {
    return this.#old?.block === this.block;
  }

  /** The state before an update, nothing decoded; undefined for an add or a delete. */
  get oldRef(): ObjectRef<T> | undefined {
    return this.#old;
  }

  /** Decodes now what there is, so that the event can be kept for as long as you like. */
  override retain(): this {
    this.#old?.retain();
    return super.retain();
  }

  /** Where the state before the change lies. @internal */
  get oldBlock(): BlockRef | undefined {
    return this.#old?.block;
  }
}
