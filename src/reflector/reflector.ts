import { Activity, type Verb } from './activity.ts';
import type { CallOutcome } from './call-plan.ts';
import { Calls } from './calls.ts';
import { CredentialsRetry } from './credentials-retry.ts';
import type { Failure } from './failure.ts';
import {
  answeredByList,
  failureOf,
  failureOfEndlessList,
  failureOfEndlessStream,
  failureOfEnvelope,
  failureOfMissingVersion,
  failureOfShortWatch,
  failureOfUnfinishedStream,
  failureOfWatch,
} from './failure.ts';
import { InitialListPolicy } from './initial-list-policy.ts';
import { PAGE_LIMIT } from './limits.ts';
import { ListReason } from './observer.ts';
import type { ReflectorOptions } from './options.ts';
import { Pager } from './pager.ts';
import { Progress } from './progress.ts';
import { isOlder } from './resource-version.ts';
import type { Retry } from './retry-policy.ts';
import { RetryPolicy } from './retry-policy.ts';
import { ReflectorStateError } from './state-machine.ts';
import type {
  BodyReader,
  DeltaSink,
  ListEnvelope,
  ListReader,
  ReflectorState,
  WatchReader,
} from './types.ts';

/**
 * Keeps a sink up to date with what an API server holds of one resource: lists it, watches it from there, and does
 * both again when they fail, for ever. `state-machine.ts` holds its states, `retry-policy.ts` when it tries again,
 * `pager.ts` how it lists, `initial-list-policy.ts` when it streams instead, `failure.ts` what it makes of errors.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #sink: DeltaSink;
  readonly #calls: Calls;
  readonly #pager: Pager;
  readonly #initialList: InitialListPolicy;
  readonly #policy: RetryPolicy;
  readonly #progress: Progress;
  readonly #credentials = new CredentialsRetry();
  readonly #activity: Activity;
  #lastSyncResourceVersion = '';
  /** The end of a Replace for which the sink has no space yet. */
  #waitingEnd: ListEnvelope | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#calls = new Calls(options, this.#credentials);
    this.#pager = new Pager(options.pageLimit ?? PAGE_LIMIT);
    if (options.startsAtLatest) this.#pager.askLatest();
    this.#initialList = new InitialListPolicy(options.initialList ?? 'list', options.clock);
    this.#policy = new RetryPolicy(options.random);
    this.#progress = new Progress(options.clock, (notice) => this.#sink.notice(notice));
    this.#activity = new Activity(options);
  }

  get state(): ReflectorState {
    return this.#activity.state;
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
    if (this.state !== 'idle') throw new ReflectorStateError(this.state, 'start');
    this.#sink.onSpace = () => this.#onSpace();
    const { startJitterMs = 0, random } = this.#options;
    if (startJitterMs > 0)
      this.#activity.backOff(startJitterMs * random(), () => this.#listAndWatch('retryList'));
    else this.#listAndWatch('start');
  }

  /** Ends everything at once and for ever; nothing is called afterwards. Harmless when called again. */
  stop(): void {
    if (this.state !== 'idle') this.#sink.onSpace = undefined;
    this.#waitingEnd = undefined;
    this.#activity.stop();
  }

  /** A whole cycle from its start. The watch follows when all objects are there. */
  #listAndWatch(event: 'start' | 'relist' | 'retryList'): void {
    const isFirst = this.#lastSyncResourceVersion === '';
    const reason = isFirst ? ListReason.first : ListReason.relist;
    this.#progress.begin();
    if (this.#initialList.next(isFirst) === 'stream') {
      this.#activity.go('stream', () => this.#watchList(reason));
      return;
    }
    this.#pager.begin(this.#lastSyncResourceVersion);
    this.#activity.go(event, () => this.#list(reason));
  }

  /** Asks for one page. */
  #list(reason: ListReason): void {
    this.#options.observer?.listStarted(reason);
    const call = this.#calls.list(this.#pager.query(), {
      openReader: () => this.#extractList(),
      onRead: (reader) => this.#progress.page(reader.items),
      onOutcome: (outcome, reader) => this.#onPage(outcome, reader),
    });
    if (reason === ListReason.page) this.#activity.openNext(call);
    else this.#activity.open(call);
  }

  /** Takes the objects out of a list's body as it comes; undefined while the sink is full. */
  #extractList(): ListReader | undefined {
    if (this.#pager.onFirstPage && !this.#sink.beginReplace()) return undefined;
    return this.#sink.openList();
  }

  #onPage(outcome: CallOutcome, reader: ListReader | undefined): void {
    const failure = failureOf(outcome) ?? failureOfEnvelope(reader?.envelope);
    this.#noteOutcome(failure, reader);
    if (failure !== undefined) {
      if ((reader?.items ?? 0) > 0 || !this.#pager.onFirstPage) this.#pager.askLatest();
      this.#listFailed(failure);
      return;
    }
    const envelope = reader!.envelope!;
    const { resourceVersion = '', continue: token = '', remainingItemCount } = envelope.metadata!;
    this.#progress.pageRead(reader!.items, remainingItemCount);
    if (token !== '' && token === this.#pager.query().continue) this.#listFailed(failureOfEndlessList());
    else if (this.#pager.pageRead(resourceVersion, token))
      this.#activity.go('relist', () => this.#list(ListReason.page));
    else if (this.#pager.listVersion === '') this.#listFailed(failureOfMissingVersion());
    else this.#onListed(envelope);
  }

  #listFailed(failure: Failure): void {
    if (this.#credentials.claim(failure)) {
      this.#activity.tell('list', failure, 0);
      this.#activity.go('relist', () => this.#list(ListReason.again));
      return;
    }
    const fallback = this.#fallback(failure);
    if (fallback === undefined) {
      this.#retry('list', failure, this.#policy.afterList(failure));
      return;
    }
    this.#activity.tell('list', failure, 0);
    if (fallback === 'full-list') this.#progress.begin();
    this.#activity.go('relist', () => this.#list(ListReason.again));
  }

  #fallback(failure: Failure) {
    if (failure.kind === 'expired') return this.#pager.expired();
    return failure.kind === 'tooLarge' ? this.#pager.tooLarge() : undefined;
  }

  /** Closes the Replace, now or when the sink has space, and goes on with the watch. */
  #onListed(envelope: ListEnvelope): void {
    if (this.#activity.hasStopped) return;
    const isSynced = this.#syncWith(this.#pager.listVersion, envelope);
    this.#waitingEnd = isSynced ? undefined : envelope;
    if (isSynced) this.#activity.go('listed', () => this.#watch(false));
  }

  /** Closes the Replace: the sink now has what the server had at `resourceVersion`. False when it is full. */
  #syncWith(resourceVersion: string, envelope: ListEnvelope): boolean {
    if (!this.#sink.endReplace(resourceVersion, envelope)) return false;
    // A list may go back: a server whose storage was restored starts anew, and only lists tell.
    this.#setLastSyncResourceVersion(resourceVersion);
    this.#pager.succeeded();
    this.#policy.listed();
    this.#initialList.succeeded();
    this.#options.observer?.synced();
    this.#progress.end();
    return true;
  }

  #setLastSyncResourceVersion(resourceVersion: string): void {
    this.#lastSyncResourceVersion = resourceVersion;
  }

  /** Asks for all objects as the first events of a watch, in place of a list. */
  #watchList(reason: ListReason): void {
    this.#options.observer?.listStarted(reason);
    const version = this.#pager.streamVersion(this.#lastSyncResourceVersion);
    let initialEvents = 0;
    const call = this.#calls.initialStream(version, {
      openReader: () =>
        this.#sink.beginReplace() ? this.#sink.openWatch({ initial: true, resourceVersion: '' }) : undefined,
      onInitialEnd: (reader) => {
        initialEvents = reader.events;
        return this.#onInitialEnd(reader);
      },
      onRead: (reader) => {
        if (this.state === 'initialStream') this.#progress.page(reader.events);
        else this.#followWatch(reader.lastResourceVersion);
      },
      onOutcome: (outcome, reader) => {
        if (this.state === 'initialStream') this.#onStreamFailed(outcome, reader, version !== '');
        else this.#onWatchEnd(outcome, reader, (reader?.events ?? 0) - initialEvents, call.openMs);
      },
    });
    this.#activity.open(call);
  }

  /** The marker came: the stream is a watch from here on. False when the sink is full. */
  #onInitialEnd({ lastResourceVersion = '' }: WatchReader): boolean {
    // Nothing could be watched from it again.
    if (lastResourceVersion === '') throw new Error('the end of the initial events names no resourceVersion');
    if (!this.#syncWith(lastResourceVersion, { metadata: { resourceVersion: lastResourceVersion } }))
      return false;
    this.#activity.go('listed', () => this.#options.observer?.watchStarted(false));
    return true;
  }

  #onStreamFailed(outcome: CallOutcome, reader: WatchReader | undefined, namedVersion: boolean): void {
    const isLate = outcome.kind === 'silent' && outcome.responded;
    const failure = isLate
      ? failureOfEndlessStream(outcome.limitMs)
      : (failureOfWatch(outcome, reader?.status) ?? failureOfUnfinishedStream());
    this.#noteOutcome(failure, reader);
    if (this.#credentials.claim(failure)) {
      this.#activity.tell('watch list', failure, 0);
      this.#activity.go('stream', () => this.#watchList(ListReason.again));
      return;
    }
    const isOutage = outcome.kind === 'broken' && reader === undefined;
    const { isAtOnce, fallsBack } = this.#initialList.afterFailure({ failure, isOutage, namedVersion });
    if (fallsBack) this.#options.observer?.fellBack();
    const isRefused = failure.kind === 'expired' || failure.kind === 'tooLarge';
    if (isRefused || (reader?.events ?? 0) > 0) this.#pager.askLatest();
    const waitMs = isAtOnce ? 0 : this.#policy.afterList(failure).waitMs;
    this.#retry('watch list', fallsBack ? answeredByList(failure) : failure, { target: 'list', waitMs });
  }

  #watch(isRewatch: boolean): void {
    this.#options.observer?.watchStarted(isRewatch);
    const resourceVersion = this.#lastSyncResourceVersion;
    const call = this.#calls.watch(resourceVersion, {
      openReader: () => this.#sink.openWatch({ initial: false, resourceVersion }),
      onRead: (reader) => this.#followWatch(reader.lastResourceVersion),
      onOutcome: (outcome, reader) => this.#onWatchEnd(outcome, reader, reader?.events ?? 0, call.openMs),
    });
    this.#activity.open(call);
  }

  /**
   * Follows what was handed on. Within watches the version never goes back: a late bookmark that names an older one
   * would only make the next watch send again what is known. One that can't be compared is taken as it comes.
   */
  #followWatch(next: string | undefined): void {
    if (next === undefined || next === '' || isOlder(next, this.#lastSyncResourceVersion)) return;
    this.#setLastSyncResourceVersion(next);
  }

  #onWatchEnd(outcome: CallOutcome, reader: WatchReader | undefined, events: number, openMs: number): void {
    const failure = failureOfWatch(outcome, reader?.status);
    this.#noteOutcome(failure, reader);
    if (failure !== undefined && this.#credentials.claim(failure)) {
      this.#activity.tell('watch', failure, 0);
      this.#activity.go('rewatch', () => this.#watch(true));
      return;
    }
    const retry = this.#policy.afterWatch({ failure, events, openMs, nowMs: this.#options.clock.now() });
    const isTooShort = failure === undefined && events === 0 && retry.waitMs > 0;
    this.#retry('watch', isTooShort ? failureOfShortWatch(openMs) : failure, retry);
  }

  /** Credentials and budget learn from how a call ended. */
  #noteOutcome(failure: Failure | undefined, reader: BodyReader | undefined): void {
    this.#credentials.note(failure, reader !== undefined);
    if (failure?.kind === 'unavailable') this.#options.budget?.failed();
  }

  #retry(verb: Verb, failure: Failure | undefined, { target, waitMs }: Retry): void {
    if (failure !== undefined) this.#activity.tell(verb, failure, waitMs);
    if (waitMs > 0) this.#activity.backOff(waitMs, () => this.#proceed(target, 'retryList', 'retryWatch'));
    else this.#proceed(target, 'relist', 'rewatch');
  }

  #proceed(target: Retry['target'], toList: 'relist' | 'retryList', toWatch: 'rewatch' | 'retryWatch'): void {
    if (target === 'list') this.#listAndWatch(toList);
    else this.#activity.go(toWatch, () => this.#watch(true));
  }

  #onSpace(): void {
    if (this.#waitingEnd !== undefined) this.#onListed(this.#waitingEnd);
    else this.#activity.space();
  }
}
