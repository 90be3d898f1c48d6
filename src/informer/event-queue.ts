/** What a listener's backlog is to it, in whatever order events are handed out. */
import type { InformerEvent } from './event.ts';

/** Makes one event of two that a listener did not see yet; undefined when they cancel out. */
export interface Merger<T> {
  merge(first: InformerEvent<T>, second: InformerEvent<T>): InformerEvent<T> | undefined;
}

export interface EventQueue<T> {
  /** Events that wait. */
  readonly size: number;
  /** Events that were merged with a later one of their key. */
  readonly laps: number;
  /** Some event may be handed out now. */
  readonly hasNext: boolean;
  push(event: InformerEvent<T>): void;
  /** The next event that may be handed out. */
  shift(): InformerEvent<T> | undefined;
  /** Takes out all that waits, whatever the handler works on. */
  clear(): InformerEvent<T>[];
  /** The handler works on this event; its key has to wait. */
  started(event: InformerEvent<T>): void;
  finished(event: InformerEvent<T>): void;
}

/** A delete and the add of another object under the same name stay two events: they are two objects. */
export function isRecreation(first: InformerEvent<unknown>, second: InformerEvent<unknown>): boolean {
  return first.type === 'delete' && second.type === 'add';
}
