/**
 * The home thread's end of a subscription. It is what the informer calls as a handler: it writes each event to the ring
 * of the subscriber, and is done with it when the subscriber is. So all that holds for handlers holds here: bodies are
 * held until then, and events that find the ring full wait, merged per key, and are counted.
 */
import type { MessagePort } from 'node:worker_threads';
import { EVENT_WORDS } from '../../layout/event-ring.ts';
import { openRing, Producer } from '../../ring/index.ts';
import type { InformerEvent, InformerEventType } from '../event.ts';
import type { FeederMessage, SubscriberMessage } from './messages.ts';
import { writeEvent } from './records.ts';

export interface FeederHost {
  /** Events that were merged for this subscriber so far. */
  readonly laps: () => number;
  /** The subscriber closed its end, or its thread has ended. */
  onGone(): void;
  onFailed(reason: string, event: { readonly type: InformerEventType; readonly key: string }): void;
}

export class Feeder<T> {
  readonly #producer: Producer;
  readonly #port: MessagePort;
  readonly #host: FeederHost;
  /** Called when the subscriber is done with a record, by its number on the ring. */
  readonly #whenPassed: ((() => void) | undefined)[];
  #isEnded = false;

  constructor(ring: SharedArrayBuffer, port: MessagePort, host: FeederHost) {
    this.#producer = new Producer(openRing(ring, EVENT_WORDS));
    this.#producer.onGivenBack = (word) => this.#passed(word / EVENT_WORDS);
    this.#whenPassed = new Array<undefined>(this.#producer.capacity);
    this.#port = port;
    this.#host = host;
    port.on('message', (message: SubscriberMessage) => this.#take(message));
    port.on('close', () => this.#gone());
    // A subscriber alone does not keep the home thread alive.
    port.unref();
    this.#post({ type: 'opened' });
  }

  /** Most events that the subscriber was not done with. */
  get capacity(): number {
    return this.#producer.capacity;
  }

  /** To be called for as many events at a time as there is `capacity`. */
  readonly deliver = (event: InformerEvent<T>): Promise<void> | undefined => {
    if (this.#isEnded) return undefined;
    const word = this.#producer.claim();
    if (word === -1) throw new Error('an event was given to a subscriber whose ring is full');
    writeEvent(this.#producer.words, word, event, this.#host.laps());
    const done = new Promise<void>((resolve) => {
      this.#whenPassed[word / EVENT_WORDS] = resolve;
    });
    if (this.#producer.publish()) this.#post({ type: 'wake' });
    this.#ask();
    return done;
  };

  /** The subscriber is done with all that existed. */
  synced(): void {
    this.#post({ type: 'synced' });
  }

  /** Nothing is delivered afterwards, and nothing held. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#port.close();
    for (let i = 0; i < this.#whenPassed.length; i++) this.#passed(i);
  }

  #take(message: SubscriberMessage): void {
    if (this.#isEnded) return;
    if (message.type === 'failed') this.#host.onFailed(message.reason, message.event);
    else this.#ask();
  }

  /** Asks to be told when records are given back, and looks once: the subscriber may have looked at the flag before. */
  #ask(): void {
    this.#producer.waitForSpace(() => false);
    this.#producer.refresh();
  }

  #passed(record: number): void {
    const whenPassed = this.#whenPassed[record];
    this.#whenPassed[record] = undefined;
    whenPassed?.();
  }

  #gone(): void {
    if (this.#isEnded) return;
    this.end();
    this.#host.onGone();
  }

  #post(message: FeederMessage): void {
    this.#port.postMessage(message);
  }
}
