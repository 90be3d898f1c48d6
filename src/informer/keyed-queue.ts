/**
 * The backlog of a listener that gets several events at a time, of different keys. Those of one key keep their
 * order, and the next one waits until the handler is done with the one before. Merged as in `listener-queue.ts`.
 */
import type { InformerEvent } from './event.ts';
import { type EventQueue, isRecreation, type Merger } from './event-queue.ts';

export class KeyedQueue<T> implements EventQueue<T> {
  size = 0;
  laps = 0;

  readonly #merger: Merger<T>;
  readonly #mergeFrom: number;
  readonly #waiting = new Map<string, InformerEvent<T>[]>();
  /** Keys whose handler runs. */
  readonly #busy = new Set<string>();
  /** Keys with waiting events that are not busy, in the order in which they became so. */
  readonly #ready = new Set<string>();

  /** @param mergeFrom - events that wait from which on those of one key are merged */
  constructor(merger: Merger<T>, mergeFrom: number) {
    this.#merger = merger;
    this.#mergeFrom = mergeFrom;
  }

  get hasNext(): boolean {
    return this.#ready.size > 0;
  }

  push(event: InformerEvent<T>): void {
    const { key } = event;
    const events = this.#waiting.get(key);
    if (events === undefined) {
      this.#waiting.set(key, [event]);
      this.size++;
      if (!this.#busy.has(key)) this.#ready.add(key);
    } else if (this.size < this.#mergeFrom || isRecreation(events.at(-1)!, event)) {
      events.push(event);
      this.size++;
    } else {
      this.#mergeIntoLast(events, event);
    }
  }

  shift(): InformerEvent<T> | undefined {
    for (const key of this.#ready) {
      this.#ready.delete(key);
      const events = this.#waiting.get(key)!;
      const event = events.shift()!;
      if (events.length === 0) this.#waiting.delete(key);
      // A handler that is done at once does not make the key busy: the next event may follow.
      else this.#ready.add(key);
      this.size--;
      return event;
    }
    return undefined;
  }

  clear(): InformerEvent<T>[] {
    const events = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#ready.clear();
    this.size = 0;
    return events;
  }

  started({ key }: InformerEvent<T>): void {
    this.#busy.add(key);
    this.#ready.delete(key);
  }

  finished({ key }: InformerEvent<T>): void {
    this.#busy.delete(key);
    if (this.#waiting.has(key)) this.#ready.add(key);
  }

  #mergeIntoLast(events: InformerEvent<T>[], event: InformerEvent<T>): void {
    this.laps++;
    const { key } = event;
    const merged = this.#merger.merge(events.pop()!, event);
    if (merged !== undefined) {
      events.push(merged);
      return;
    }
    this.size--;
    if (events.length > 0) return;
    this.#waiting.delete(key);
    this.#ready.delete(key);
  }
}
