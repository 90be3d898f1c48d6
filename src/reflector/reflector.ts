import type { CallOutcome } from './call.ts';
import { Call } from './call.ts';
import type { Failure } from './failure.ts';
import {
  errorNotice,
  failureOf,
  failureOfEndlessList,
  failureOfEnvelope,
  failureOfMissingVersion,
  failureOfShortWatch,
  failureOfStatus,
} from './failure.ts';
import {
  IDLE_LIMIT_MS,
  PAGE_LIMIT,
  RESPONSE_LIMIT_MS,
  WATCH_SECONDS_MAX,
  WATCH_SECONDS_MIN,
} from './limits.ts';
import type { ReflectorOptions } from './options.ts';
import { Pager } from './pager.ts';
import { Progress } from './progress.ts';
import { compareResourceVersions, isComparable } from './resource-version.ts';
import type { Retry } from './retry-policy.ts';
import { RetryPolicy } from './retry-policy.ts';
import type { ReflectorEvent } from './state-machine.ts';
import { transition } from './state-machine.ts';
import type {
  ApiRequest,
  BodyReader,
  DeltaSink,
  ListEnvelope,
  ListReader,
  ReflectorState,
  WatchReader,
} from './types.ts';
import { describeResource, listPath, resourcePath, watchPath } from './urls.ts';

/**
 * Keeps a sink up to date with what an API server holds of one resource: lists it, watches it from there, and does
 * both again when they fail, for ever. `state-machine.ts` holds its states, `retry-policy.ts` when it tries again,
 * `pager.ts` how it lists, `failure.ts` what it makes of errors.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #sink: DeltaSink;
  readonly #pager: Pager;
  readonly #policy: RetryPolicy;
  readonly #progress: Progress;
  #state: ReflectorState = 'idle';
  #lastSyncResourceVersion = '';
  #call: { space(): void; abort(): void } | undefined;
  #cancelRetry: (() => void) | undefined;
  /** The end of a Replace for which the sink has no space yet. */
  #waitingEnd: ListEnvelope | undefined;
  /** The server refused the credentials: the next request asks for new ones. */
  #needsCredentials = false;

  constructor(options: ReflectorOptions) {
    // A resource that can't be put in a URL is the caller's mistake: better here than in a retry loop.
    resourcePath(options.resource);
    this.#options = options;
    this.#sink = options.sink;
    this.#pager = new Pager(options.pageLimit ?? PAGE_LIMIT);
    this.#policy = new RetryPolicy(options.random);
    this.#progress = new Progress(options.clock, (notice) => this.#sink.notice(notice));
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Up to here everything was handed on; '' before the first list is complete. */
  get lastSyncResourceVersion(): string {
    return this.#lastSyncResourceVersion;
  }

  /**
   * Starts to list and watch.
   *
   * @throws ReflectorStateError when it was started before
   */
  start(): void {
    this.#go('start');
    if (this.#hasStopped) return;
    this.#sink.onSpace = () => this.#onSpace();
    this.#listAndWatch();
  }

  /** Ends everything at once and for ever; nothing is called afterwards. Harmless when called again. */
  stop(): void {
    const wasIdle = this.#state === 'idle';
    this.#call?.abort();
    this.#call = undefined;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#waitingEnd = undefined;
    if (!wasIdle) this.#sink.onSpace = undefined;
    this.#go('stop');
  }

  /** A whole cycle from its start. The watch follows when the list is complete. */
  #listAndWatch(): void {
    this.#pager.begin(this.#lastSyncResourceVersion);
    this.#progress.begin();
    this.#list();
  }

  /** Asks for one page. */
  #list(): void {
    const { resource } = this.#options;
    const call = new Call<ListReader>({
      ...this.#callPlan(listPath(resource, this.#options, this.#pager.query())),
      // A body that stops in its middle is as dead as a server that does not answer.
      idleLimitMs: this.#responseLimitMs,
      openReader: () => this.#openList(),
      onRead: (reader) => this.#progress.page(reader.items),
      onOutcome: (outcome, reader) => this.#onPage(outcome, reader),
    });
    this.#call = call;
    call.open();
  }

  #openList(): ListReader | undefined {
    if (this.#pager.onFirstPage && !this.#sink.beginReplace()) return undefined;
    return this.#sink.openList();
  }

  #onPage(outcome: CallOutcome, reader: ListReader | undefined): void {
    const failure = failureOf(outcome) ?? failureOfEnvelope(reader?.envelope);
    this.#noteCredentials(failure, reader);
    if (failure !== undefined) {
      this.#listFailed(failure);
      return;
    }
    const envelope = reader!.envelope!;
    const { resourceVersion = '', continue: token = '', remainingItemCount } = envelope.metadata!;
    this.#progress.pageRead(reader!.items, remainingItemCount);
    if (token !== '' && token === this.#pager.query().continue) this.#listFailed(failureOfEndlessList());
    else if (this.#pager.pageRead(resourceVersion, token)) this.#again('relist', () => this.#list());
    else if (this.#pager.listVersion === '') this.#listFailed(failureOfMissingVersion());
    else this.#syncWith(envelope);
  }

  #listFailed(failure: Failure): void {
    if (this.#retryWithCredentials(failure, 'list')) return;
    const fallback = this.#fallback(failure);
    if (fallback === undefined) {
      this.#retry('list', failure, this.#policy.afterList(failure));
      return;
    }
    this.#tell('list', failure, 0);
    if (fallback === 'full-list') this.#progress.begin();
    this.#again('relist', () => this.#list());
  }

  #fallback(failure: Failure) {
    if (failure.kind === 'expired') return this.#pager.expired();
    return failure.kind === 'tooLarge' ? this.#pager.tooLarge() : undefined;
  }

  /** Closes the Replace, now or when the sink has space, and goes on with the watch. */
  #syncWith(envelope: ListEnvelope): void {
    if (this.#hasStopped) return;
    const resourceVersion = this.#pager.listVersion;
    if (!this.#sink.endReplace(resourceVersion, envelope)) {
      this.#waitingEnd = envelope;
      return;
    }
    this.#waitingEnd = undefined;
    // A list may go back: a server whose storage was restored starts anew, and only lists tell.
    this.#setLastSyncResourceVersion(resourceVersion);
    this.#pager.succeeded();
    this.#policy.listed();
    this.#progress.end();
    this.#again('listed', () => this.#watch());
  }

  #setLastSyncResourceVersion(resourceVersion: string): void {
    this.#lastSyncResourceVersion = resourceVersion;
  }

  #watch(): void {
    const { resource, random, watchIdleMs } = this.#options;
    const seconds = WATCH_SECONDS_MIN + Math.floor(random() * (WATCH_SECONDS_MAX - WATCH_SECONDS_MIN + 1));
    const call = new Call<WatchReader>({
      ...this.#callPlan(watchPath(resource, this.#options, this.#lastSyncResourceVersion, seconds)),
      idleLimitMs: watchIdleMs ?? IDLE_LIMIT_MS,
      openReader: () => this.#sink.openWatch(),
      onRead: (reader) => this.#followWatch(reader.lastResourceVersion),
      onOutcome: (outcome, reader) => this.#onWatchEnd(outcome, reader, call.openMs),
    });
    this.#call = call;
    call.open();
  }

  /**
   * Follows what was handed on. Within watches the version never goes back: a late bookmark that names an older one
   * would only make the next watch send again what is known. One that can't be compared is taken as it comes.
   */
  #followWatch(next: string | undefined): void {
    const last = this.#lastSyncResourceVersion;
    if (next === undefined || next === '' || next === last) return;
    const isOlder = isComparable(next) && isComparable(last) && compareResourceVersions(next, last) < 0;
    if (!isOlder) this.#setLastSyncResourceVersion(next);
  }

  #onWatchEnd(outcome: CallOutcome, reader: WatchReader | undefined, openMs: number): void {
    const errorEvent = reader?.status;
    const failure = errorEvent === undefined ? failureOf(outcome) : failureOfStatus(0, errorEvent, {});
    this.#noteCredentials(failure, reader);
    if (failure !== undefined && this.#retryWithCredentials(failure, 'watch')) return;

    const events = reader?.events ?? 0;
    const retry = this.#policy.afterWatch({ failure, events, openMs, nowMs: this.#options.clock.now() });
    const isTooShort = failure === undefined && events === 0 && retry.waitMs > 0;
    this.#retry('watch', isTooShort ? failureOfShortWatch(openMs) : failure, retry);
  }

  /** A first 401 is answered with new credentials at once; when these are refused too, with a delay. */
  #retryWithCredentials(failure: Failure, verb: 'list' | 'watch'): boolean {
    if (failure.kind !== 'unauthorized' || this.#needsCredentials) return false;
    this.#needsCredentials = true;
    this.#tell(verb, failure, 0);
    if (verb === 'list') this.#again('relist', () => this.#list());
    else this.#again('rewatch', () => this.#watch());
    return true;
  }

  /** New credentials have done their work when the server answers something else than that they are wrong. */
  #noteCredentials(failure: Failure | undefined, reader: BodyReader | undefined): void {
    const saysNothing = failure?.kind === 'unauthorized' || failure?.kind === 'unavailable';
    if (reader !== undefined || !saysNothing) this.#needsCredentials = false;
  }

  #retry(verb: 'list' | 'watch', failure: Failure | undefined, { target, waitMs }: Retry): void {
    this.#call = undefined;
    if (failure !== undefined) this.#tell(verb, failure, waitMs);
    if (this.#hasStopped) return;
    const proceed = target === 'list' ? () => this.#listAndWatch() : () => this.#watch();
    if (waitMs <= 0) {
      this.#again(target === 'list' ? 'relist' : 'rewatch', proceed);
      return;
    }
    this.#go('backOff');
    if (this.#hasStopped) return;
    this.#cancelRetry = this.#options.clock.setTimer(waitMs, () => {
      this.#cancelRetry = undefined;
      this.#again(target === 'list' ? 'retryList' : 'retryWatch', proceed);
    });
  }

  #onSpace(): void {
    if (this.#waitingEnd !== undefined) this.#syncWith(this.#waitingEnd);
    else this.#call?.space();
  }

  /** Whoever gets a notice may stop us. */
  get #hasStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Changes state and goes on, unless whoever was told stopped us. */
  #again(event: ReflectorEvent, proceed: () => void): void {
    if (this.#hasStopped) return;
    this.#go(event);
    if (!this.#hasStopped) proceed();
  }

  #go(event: ReflectorEvent): void {
    const state = transition(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.#sink.notice({ type: 'state', state });
  }

  #callPlan(path: string) {
    const request: ApiRequest = {
      path,
      headers: { accept: 'application/json' },
      ...(this.#needsCredentials && { refreshCredentials: true }),
    };
    const { transport, clock } = this.#options;
    return { transport, clock, request, responseLimitMs: this.#responseLimitMs };
  }

  get #responseLimitMs(): number {
    return this.#options.responseMs ?? RESPONSE_LIMIT_MS;
  }

  #tell(verb: 'list' | 'watch', failure: Failure, retryInMs: number): void {
    if (this.#hasStopped) return;
    this.#sink.notice(
      errorNotice(`${verb} of ${describeResource(this.#options.resource)}`, failure, retryInMs),
    );
  }
}
