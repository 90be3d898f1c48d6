/**
 * One list, in pages, and no watch: asked for once, told once how it ended. What a Reflector retries for ever is an
 * answer here, because whoever asked can ask again; only new credentials are tried for at once.
 */
import type { Call } from './call.ts';
import type { CallOutcome } from './call-plan.ts';
import { Calls } from './calls.ts';
import { CredentialsRetry } from './credentials-retry.ts';
import { type Failure, failureOf, failureOfEndlessList, failureOfEnvelope } from './failure.ts';
import { PAGE_LIMIT } from './limits.ts';
import type { RequestOptions } from './options.ts';
import { Pager } from './pager.ts';
import type { ListReader } from './types.ts';
import { describeResource } from './urls.ts';

/** How a list ended that was asked for once. */
export type OneListResult =
  | { readonly ok: true; readonly resourceVersion: string }
  /** `code` and `status` are those of a Reflector's errors; `status` is 0 when the server sent none. */
  | { readonly ok: false; readonly code: string; readonly message: string; readonly status: number };

export interface OneListOptions
  extends Omit<RequestOptions, 'initialList' | 'startJitterMs' | 'observer' | 'watchIdleMs'> {
  /** Pause before each page but the first, in milliseconds: for who wants to burden nobody. Default 0. */
  readonly pauseMs?: number;
  /** Makes the reader of a page; undefined while there is no space. */
  readonly openReader: () => ListReader | undefined;
  /** Called once, unless it was stopped before. */
  readonly onEnd: (result: OneListResult) => void;
}

export class OneList {
  readonly #options: OneListOptions;
  readonly #calls: Calls;
  readonly #pager: Pager;
  readonly #credentials = new CredentialsRetry();
  #call: Call<ListReader> | undefined;
  #cancelWait: (() => void) | undefined;
  #hasStopped = false;

  /** @throws InvalidResourceError when the resource can't be put in a URL */
  constructor(options: OneListOptions) {
    this.#options = options;
    this.#calls = new Calls(options, this.#credentials);
    this.#pager = new Pager(options.pageLimit ?? PAGE_LIMIT);
    // The latest state, not one that some cache has: it is compared with what came of a watch meanwhile.
    this.#pager.askLatest();
    this.#pager.begin('');
  }

  start(): void {
    const { budget } = this.#options;
    if (budget === undefined || budget.take(false)) this.#open();
    else this.#cancelWait = budget.wait(() => this.#open());
  }

  /** The readers have space again. */
  space(): void {
    this.#call?.space();
  }

  /** Nothing is called afterwards. Harmless when called again. */
  stop(): void {
    this.#hasStopped = true;
    this.#cancelWait?.();
    this.#call?.abort();
  }

  #open(): void {
    this.#cancelWait = undefined;
    this.#call = this.#calls.list(this.#pager.query(), {
      openReader: () => this.#options.openReader(),
      onRead: () => {},
      onOutcome: (outcome, reader) => this.#onPage(outcome, reader),
    });
    this.#call.open();
  }

  #onPage(outcome: CallOutcome, reader: ListReader | undefined): void {
    const failure = failureOf(outcome) ?? failureOfEnvelope(reader?.envelope);
    if (failure !== undefined) {
      if (this.#credentials.claim(failure)) this.#open();
      else this.#fail(failure);
      return;
    }
    this.#credentials.note(undefined, true);
    const { resourceVersion = '', continue: token = '' } = reader!.envelope!.metadata!;
    if (token !== '' && token === this.#pager.query().continue) this.#fail(failureOfEndlessList());
    else if (this.#pager.pageRead(resourceVersion, token)) this.#openLater();
    else this.#options.onEnd({ ok: true, resourceVersion: this.#pager.listVersion });
  }

  #openLater(): void {
    if (this.#hasStopped) return;
    const { pauseMs = 0, clock } = this.#options;
    if (pauseMs === 0) this.#open();
    else this.#cancelWait = clock.setTimer(pauseMs, () => this.#open());
  }

  #fail({ code, cause, remedy, status }: Failure): void {
    const what = `list of ${describeResource(this.#options.resource)} failed: ${cause}`;
    this.#options.onEnd({ ok: false, code, message: remedy === '' ? what : `${what}; ${remedy}`, status });
  }
}
