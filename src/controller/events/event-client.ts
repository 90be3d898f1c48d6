import type { ApiClient } from '../client/index.ts';
import type { CoreEvent } from './event.ts';

const EVENTS = { group: '', version: 'v1', resource: 'events' };

/** What changes when an event happens again. */
export type EventPatch = Pick<CoreEvent, 'count' | 'lastTimestamp' | 'message'>;

/**
 * The requests that recording makes. Both reject with an error that has the HTTP status: `status` of an ApiError, or
 * `code` of client-node's ApiException. Each should end when its signal aborts; if not, nobody waits for it.
 */
export interface EventClient {
  create(event: CoreEvent, signal: AbortSignal): Promise<unknown>;
  /** Changes an event by a JSON merge patch. Rejects with 404 when it has been forgotten: they live for an hour. */
  patch(
    event: { readonly namespace: string; readonly name: string },
    patch: EventPatch,
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** Events of an API server. Needs the verbs create and patch on `events` of the core group. */
export function eventClient(api: Pick<ApiClient, 'create' | 'patch'>): EventClient {
  return {
    create: (event, signal) => api.create(EVENTS, event, { signal }),
    patch: (event, patch, signal) => api.patch(EVENTS, event, patch, { signal }),
  };
}
