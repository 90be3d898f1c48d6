import type { CallOutcome, CallPlan, Headers } from './call-plan.ts';
import { Countdown } from './countdown.ts';
import { ErrorBody } from './error-body.ts';
import { SilenceTimer } from './silence-timer.ts';
import type { BodyProblem, BodyReader, Exchange, ResponseHandlers } from './types.ts';
import { ReadState } from './types.ts';

/**
 * One request and the reading of its body: puts transport and reader together, with back-pressure and limits.
 * While the sink is full the socket is paused and no limit runs, for then it is we who are slow.
 */
export class Call<Reader extends BodyReader> implements ResponseHandlers {
  readonly #plan: CallPlan<Reader>;
  #exchange: Exchange | undefined;
  #reader: Reader | undefined;
  #errorBody: { httpStatus: number; headers: Headers; peer: string; body: ErrorBody } | undefined;
  /** Chunks that came before the reader could be opened: few, because the socket is paused. */
  #early: Uint8Array[] = [];
  #paused = false;
  /** The reader has all it needs; only the end of the response is awaited, so that the socket can be used again. */
  #isRead = false;
  /** No more bytes will come. */
  #ended = false;
  #readerEnded = false;
  #brokenBy: Error | undefined;
  #closed = false;
  #respondedMs = -1;
  /** Initial events are still to come, or their end waits for the sink. */
  #isInitial: boolean;
  #isAtInitialEnd = false;
  readonly #silence: SilenceTimer;
  readonly #initialTime: Countdown;

  constructor(plan: CallPlan<Reader>) {
    this.#plan = plan;
    this.#isInitial = plan.initial !== undefined;
    this.#silence = new SilenceTimer(plan.clock, (limitMs) => this.#onSilence(limitMs));
    this.#initialTime = new Countdown(plan.clock, (limitMs) => this.#onSilence(limitMs));
  }

  open(): void {
    this.#silence.start(this.#plan.responseLimitMs);
    try {
      this.#exchange = this.#plan.transport.open(this.#plan.request, this);
    } catch (error) {
      this.#conclude({ kind: 'broken', error: asError(error) });
    }
    // Handlers may have been called before there was an exchange to pause or to abort.
    if (this.#closed) this.#exchange?.abort();
    else if (this.#paused) this.#exchange?.pause();
  }

  /** How long ago a 2xx response came, or the end of its initial events, in milliseconds; 0 when none came. */
  get openMs(): number {
    return this.#respondedMs < 0 ? 0 : this.#plan.clock.now() - this.#respondedMs;
  }

  /** The sink has space again. */
  space(): void {
    if (this.#paused) this.#pump();
  }

  /** Ends the call. Nobody is told anything afterwards. */
  abort(): void {
    if (this.#closed) return;
    this.#close();
    this.#reader?.close();
  }

  onResponse(status: number, headers: Headers, peer = ''): void {
    if (this.#closed) return;
    const nowMs = this.#noteContact();
    const contentType = headers['content-type'] ?? '';
    if (status < 200 || status > 299) {
      this.#errorBody = { httpStatus: status, headers, peer, body: new ErrorBody(contentType) };
      return;
    }
    this.#respondedMs = nowMs;
    if (contentType !== '' && !contentType.includes('json')) {
      this.#conclude({ kind: 'unreadable', problem: notJson(contentType, peer), brokenBy: undefined });
      return;
    }
    this.#silence.start(this.#idleLimitMs);
    if (this.#plan.initial !== undefined) this.#initialTime.start(this.#plan.initial.limitMs);
    this.#pump();
  }

  onData(chunk: Uint8Array): void {
    if (this.#closed || this.#ended || this.#isRead) return;
    this.#noteContact();
    this.#plan.onBytes?.(chunk.length);
    if (this.#errorBody === undefined) {
      this.#pump(chunk);
      return;
    }
    this.#errorBody.body.push(chunk);
    if (this.#errorBody.body.isFull) this.#concludeRefused();
  }

  onEnd(): void {
    if (this.#closed) return;
    this.#ended = true;
    if (this.#errorBody !== undefined) this.#concludeRefused();
    else if (this.#isRead) this.#conclude({ kind: 'read' });
    else this.#pump();
  }

  onError(error: Error): void {
    if (this.#closed) return;
    if (this.#errorBody !== undefined || this.#isRead) {
      this.onEnd();
      return;
    }
    if (this.#respondedMs < 0) {
      this.#conclude({ kind: 'broken', error });
      return;
    }
    // What came before the break is still good, also when there is no space for it yet.
    this.#brokenBy = error;
    this.#ended = true;
    this.#pump();
  }

  #pump(chunk?: Uint8Array): void {
    let state: ReadState = ReadState.full;
    try {
      const reader = this.#readerFor(chunk);
      if (reader !== undefined) state = this.#read(reader);
    } catch (error) {
      const problem = { code: 'reader-failed', message: asError(error).message };
      this.#conclude({ kind: 'unreadable', problem, brokenBy: undefined });
      return;
    }
    if (!this.#closed) this.#react(state);
  }

  /** Reads on; past the end of the initial events only when the sink has taken it. */
  #read(reader: Reader): ReadState {
    for (;;) {
      if (!this.#isAtInitialEnd) {
        const state = reader.read();
        this.#plan.onRead(reader);
        if (state !== ReadState.initialEnd || this.#closed) return state;
        this.#isAtInitialEnd = true;
      }
      if (!this.#plan.initial!.onEnd(reader) || this.#closed) return ReadState.full;
      this.#isAtInitialEnd = false;
      this.#isInitial = false;
      this.#respondedMs = this.#plan.clock.now();
      this.#initialTime.stop();
      if (!this.#paused) this.#silence.start(this.#idleLimitMs);
    }
  }

  get #idleLimitMs(): number {
    return this.#isInitial ? this.#plan.initial!.silenceLimitMs : this.#plan.idleLimitMs;
  }

  #noteContact(): number {
    const nowMs = this.#plan.clock.now();
    this.#silence.touch(nowMs);
    this.#plan.onContact?.(nowMs);
    return nowMs;
  }

  /** The reader, with all that has come; undefined when none can be opened yet. */
  #readerFor(chunk: Uint8Array | undefined): Reader | undefined {
    if (chunk !== undefined) this.#keep(chunk);
    this.#reader ??= this.#openReader();
    if (this.#ended && !this.#readerEnded && this.#reader !== undefined) {
      this.#readerEnded = true;
      this.#reader.end();
    }
    return this.#reader;
  }

  #keep(chunk: Uint8Array): void {
    if (this.#reader === undefined) this.#early.push(chunk);
    else this.#reader.push(chunk);
  }

  #openReader(): Reader | undefined {
    const reader = this.#plan.openReader();
    if (reader === undefined) return undefined;
    for (const chunk of this.#early) reader.push(chunk);
    this.#early = [];
    return reader;
  }

  #react(state: ReadState): void {
    if (state === ReadState.full) this.#pause();
    else if (state === ReadState.failed) this.#concludeUnreadable();
    else if (state === ReadState.more && this.#ended) this.#concludeUnreadable();
    else if (state === ReadState.more) this.#resume();
    else this.#onReadDone();
  }

  #onReadDone(): void {
    if (this.#brokenBy !== undefined) {
      this.#conclude({ kind: 'broken', error: this.#brokenBy });
    } else if (this.#ended) {
      this.#conclude({ kind: 'read' });
    } else {
      this.#isRead = true;
      this.#resume();
    }
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#silence.stop();
    this.#initialTime.pause();
    this.#exchange?.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#silence.start(this.#idleLimitMs);
    this.#initialTime.resume();
    this.#exchange?.resume();
  }

  #onSilence(limitMs: number): void {
    if (this.#errorBody !== undefined) this.#concludeRefused();
    else if (this.#isRead) this.#conclude({ kind: 'read' });
    else this.#conclude({ kind: 'silent', responded: this.#respondedMs >= 0, limitMs });
  }

  #concludeRefused(): void {
    const { httpStatus, headers, peer, body } = this.#errorBody!;
    this.#conclude({ kind: 'refused', httpStatus, headers, peer, status: body.status() });
  }

  #concludeUnreadable(): void {
    const problem = this.#reader?.problem ?? { code: 'truncated', message: 'the body ended in its middle' };
    this.#conclude({ kind: 'unreadable', problem, brokenBy: this.#brokenBy });
  }

  #conclude(outcome: CallOutcome): void {
    if (this.#closed) return;
    this.#close();
    try {
      this.#plan.onOutcome(outcome, this.#reader);
    } finally {
      this.#reader?.close();
    }
  }

  #close(): void {
    this.#closed = true;
    this.#silence.stop();
    this.#initialTime.stop();
    this.#early = [];
    // Aborting closes the socket; one whose response has ended can be used again.
    if (!this.#ended) this.#exchange?.abort();
  }
}

function notJson(contentType: string, peer: string): BodyProblem {
  const asked = peer === '' ? '' : ` (${peer})`;
  return { code: 'not-json', message: `the response is ${contentType}, not JSON${asked}` };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
