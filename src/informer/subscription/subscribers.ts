/** The subscribers of one informer on other threads: each is one more handler of it. */

import type { InformerEvent } from '../event.ts';
import type { HandlerPlan } from '../handler-options.ts';
import { planHandler } from '../handler-options.ts';
import type { Registration } from '../registration.ts';
import { Feeder } from './feeder.ts';
import type { SubscribeRequest } from './messages.ts';
import { answerRequests } from './requests.ts';

export interface SubscribersHost<T> {
  register(plan: HandlerPlan<T>): Registration;
  /** The handler of a subscriber failed on its thread. */
  handlerFailed(error: unknown, event: Pick<InformerEvent<T>, 'type' | 'key'>, plan: HandlerPlan<T>): void;
}

export class Subscribers<T> {
  readonly #host: SubscribersHost<T>;
  readonly #feeders = new Set<Feeder<T>>();
  #endAnswering: (() => void) | undefined;

  constructor(host: SubscribersHost<T>) {
    this.#host = host;
  }

  /** Lets threads subscribe that have a handle with this channel. */
  admit(channel: string): void {
    this.#endAnswering ??= answerRequests(channel, (request) => this.#open(request));
  }

  /** Nobody gets anything afterwards. */
  stop(): void {
    this.#endAnswering?.();
    this.#endAnswering = undefined;
    for (const feeder of this.#feeders) feeder.end();
    this.#feeders.clear();
  }

  #open({ ring, port, name, backlogLimit }: SubscribeRequest): void {
    const feeder: Feeder<T> = new Feeder<T>(ring, port, {
      laps: () => registration.laps,
      onGone: () => {
        this.#feeders.delete(feeder);
        void registration.remove();
      },
      onFailed: (reason, event) => this.#host.handlerFailed(new Error(reason), event, plan),
    });
    const plan: HandlerPlan<T> = {
      ...planHandler<T>(
        { onEvent: feeder.deliver },
        {
          resyncMs: 0,
          ...(name !== undefined && { name }),
          ...(backlogLimit !== undefined && { backlogLimit }),
        },
      ),
      // In the order of the ring, as many at a time as it has records.
      maxInFlight: feeder.capacity,
    };
    const registration = this.#host.register(plan);
    this.#feeders.add(feeder);
    registration.synced.then(
      () => feeder.synced(),
      () => {},
    );
  }
}
