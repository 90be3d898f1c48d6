import { Call } from './call.ts';
import type { CallPlan } from './call-plan.ts';
import type { CredentialsRetry } from './credentials-retry.ts';
import { IDLE_LIMIT_MS, INITIAL_LIMIT_MS, INITIAL_SILENCE_MS, RESPONSE_LIMIT_MS } from './limits.ts';
import { contactThrottle } from './observer.ts';
import type { RequestOptions } from './options.ts';
import { Requests } from './requests.ts';
import type { ApiRequest, BodyReader, ListReader, WatchReader } from './types.ts';
import type { PageQuery } from './urls.ts';

/** What a Reflector does with a call. */
type Handlers<Reader extends BodyReader> = Pick<CallPlan<Reader>, 'openReader' | 'onRead' | 'onOutcome'>;

/** Prepares the calls of one Reflector: their requests, their limits, and who is told that the server is there. */
export class Calls {
  readonly #options: RequestOptions;
  readonly #requests: Requests;
  readonly #credentials: CredentialsRetry;
  readonly #onContact: ((nowMs: number) => void) | undefined;
  readonly #onBytes: ((bytes: number) => void) | undefined;

  constructor(options: RequestOptions, credentials: CredentialsRetry) {
    this.#options = options;
    this.#requests = new Requests(options);
    this.#credentials = credentials;
    const { observer } = options;
    this.#onContact = contactThrottle(observer);
    this.#onBytes = observer === undefined ? undefined : (bytes) => observer.received(bytes);
  }

  /** One page of a list. */
  list(page: PageQuery, handlers: Handlers<ListReader>): Call<ListReader> {
    const request = this.#requests.list(page, this.#credentials.wantsNew);
    // A body that stops in its middle is as dead as a server that does not answer.
    return new Call({ ...this.#plan(request), ...handlers, idleLimitMs: this.#responseLimitMs });
  }

  watch(resourceVersion: string, handlers: Handlers<WatchReader>): Call<WatchReader> {
    const request = this.#requests.watch(resourceVersion, this.#credentials.wantsNew);
    return new Call({ ...this.#plan(request), ...handlers, idleLimitMs: this.#watchIdleMs });
  }

  /** A watch that begins with all objects; `onInitialEnd` is as `onEnd` of {@link CallPlan.initial}. */
  initialStream(
    resourceVersion: string,
    handlers: Handlers<WatchReader> & { onInitialEnd(reader: WatchReader): boolean },
  ): Call<WatchReader> {
    const request = this.#requests.initialStream(resourceVersion, this.#credentials.wantsNew);
    const initial = {
      silenceLimitMs: INITIAL_SILENCE_MS,
      limitMs: INITIAL_LIMIT_MS,
      onEnd: handlers.onInitialEnd,
    };
    return new Call({ ...this.#plan(request), ...handlers, initial, idleLimitMs: this.#watchIdleMs });
  }

  #plan(request: ApiRequest) {
    const { transport, clock } = this.#options;
    const responseLimitMs = this.#responseLimitMs;
    return { transport, clock, request, responseLimitMs, onContact: this.#onContact, onBytes: this.#onBytes };
  }

  get #responseLimitMs(): number {
    return this.#options.responseMs ?? RESPONSE_LIMIT_MS;
  }

  get #watchIdleMs(): number {
    return this.#options.watchIdleMs ?? IDLE_LIMIT_MS;
  }
}
