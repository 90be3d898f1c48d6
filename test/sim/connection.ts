/**
 * One request and its response on their way. Bytes come later, in pieces that are cut anywhere, and may stop coming at any
 * byte. What a server writes after that is lost.
 */
import type { Exchange, ResponseHandlers } from '../../src/reflector/index.ts';
import type { Random } from '../../src/testing/random.ts';
import type { VirtualLoop, VirtualThread } from './virtual-loop.ts';

type Item =
  | { readonly type: 'response'; readonly status: number; readonly headers: Record<string, string> }
  | { readonly type: 'data'; bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: Error };

/** How a connection is cut. */
export type Cut = 'error' | 'end' | 'silence';

export interface ConnectionOptions {
  readonly loop: VirtualLoop;
  /** Who reads. */
  readonly thread: VirtualThread;
  readonly random: Random;
  readonly handlers: ResponseHandlers;
  readonly latencyMs: number;
  /** The reader is not interested any more, or the connection broke: nobody reads what is written. */
  readonly onClosed: () => void;
}

/** Pieces of one write: small ones find more, many cost time. */
const MAX_PIECES = 12;

export class Connection implements Exchange {
  readonly #options: ConnectionOptions;
  readonly #items: Item[] = [];
  #isScheduled = false;
  #isPaused = false;
  /** Nothing is told any more. */
  #isOver = false;
  #isSilent = false;
  /** Bytes that still come before the connection is cut. */
  #bytesLeft = Number.POSITIVE_INFINITY;
  #cut: Cut = 'error';

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule(0);
  }

  abort(): void {
    this.#finish();
  }

  respond(status: number, headers: Record<string, string> = { 'content-type': 'application/json' }): void {
    this.#put({ type: 'response', status, headers });
  }

  write(text: string): void {
    this.#put({ type: 'data', bytes: Buffer.from(text) });
  }

  end(): void {
    this.#put({ type: 'end' });
  }

  fail(code: string): void {
    this.#put({ type: 'error', error: Object.assign(new Error(code), { code }) });
  }

  /** The connection ends after so many more bytes, whatever is written. */
  cutAfter(bytes: number, cut: Cut): void {
    this.#bytesLeft = bytes;
    this.#cut = cut;
    if (bytes === 0) this.#put({ type: 'data', bytes: new Uint8Array(1) });
  }

  #put(item: Item): void {
    if (this.#isOver || this.#isSilent) return;
    this.#items.push(item);
    this.#schedule(this.#options.latencyMs);
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled || this.#isPaused || this.#isOver || this.#items.length === 0) return;
    this.#isScheduled = true;
    const { loop, thread } = this.#options;
    loop.later(delayMs, () => this.#deliver(), thread);
  }

  /** Tells what has come: as much as a socket gives in one turn. */
  #deliver(): void {
    this.#isScheduled = false;
    const { random, latencyMs } = this.#options;
    while (!this.#isOver && !this.#isPaused && this.#items.length > 0) {
      this.#tell(this.#items[0]!);
      if (random.chance(0.3)) break;
    }
    this.#schedule(random.fraction() * latencyMs);
  }

  #tell(item: Item): void {
    const { handlers } = this.#options;
    if (item.type === 'data') {
      this.#tellPiece(item);
      return;
    }
    this.#items.shift();
    if (item.type === 'response') handlers.onResponse(item.status, item.headers);
    else this.#tellEnd(item);
  }

  #tellEnd(item: Item): void {
    this.#finish();
    const { handlers } = this.#options;
    if (item.type === 'error') handlers.onError(item.error);
    else handlers.onEnd();
  }

  #tellPiece(item: { bytes: Uint8Array }): void {
    const { random, handlers } = this.#options;
    if (this.#bytesLeft === 0) {
      this.#break();
      return;
    }
    const { length } = item.bytes;
    const least = Math.ceil(length / MAX_PIECES);
    const wanted = random.chance(0.5) ? length : least + random.below(length);
    const count = Math.min(wanted, length, this.#bytesLeft);
    // A copy: the reader may keep it, and must not see what is behind it.
    const piece = item.bytes.slice(0, count);
    item.bytes = item.bytes.subarray(count);
    this.#bytesLeft -= count;
    if (item.bytes.length === 0) this.#items.shift();
    handlers.onData(piece);
  }

  #break(): void {
    this.#items.length = 0;
    if (this.#cut === 'silence') {
      this.#isSilent = true;
      return;
    }
    const error = Object.assign(new Error('connection reset'), { code: 'connection-reset' });
    this.#tellEnd(this.#cut === 'end' ? { type: 'end' } : { type: 'error', error });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#items.length = 0;
    this.#options.onClosed();
  }
}
