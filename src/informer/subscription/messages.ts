/** What a subscriber's thread and the home thread say to each other, besides what lies on the ring. */
import type { MessagePort } from 'node:worker_threads';
import type { InformerEventType } from '../event.ts';

/** Marks a request among all that is posted to a thread. */
export const SUBSCRIBE = 'kubering:subscribe';

/** Posted to the thread of the informer. */
export interface SubscribeRequest {
  readonly type: typeof SUBSCRIBE;
  /** Of the store that the handle is of. */
  readonly channel: string;
  /** Made by the subscriber, see layout/event-ring.ts. */
  readonly ring: SharedArrayBuffer;
  /** Between the two from now on. When one end is closed, or its thread ends, the subscription is over. */
  readonly port: MessagePort;
  readonly name: string | undefined;
  readonly backlogLimit: number | undefined;
}

/** From the home thread. */
export type FeederMessage =
  /** The subscription stands. */
  | { readonly type: 'opened' }
  /** There is no such informer any more. The port is closed behind it. */
  | { readonly type: 'refused' }
  /** There are records, and the subscriber sleeps. */
  | { readonly type: 'wake' }
  /** The handler is done with all that existed. */
  | { readonly type: 'synced' };

/** From the subscriber. */
export type SubscriberMessage =
  /** Records were given back. */
  | { readonly type: 'passed' }
  /** The handler threw or rejected. */
  | {
      readonly type: 'failed';
      readonly event: { readonly type: InformerEventType; readonly key: string };
      readonly reason: string;
    };
