import type { LoadedProgram, ScanEngine } from './engine.ts';
import { ITEMS_END, ItemReader } from './list-items.ts';
import { ITEMS_BEGIN, RootReader } from './list-root.ts';
import { GO_ON, ListSource } from './list-source.ts';
import {
  checkedLimit,
  DEFAULT_MAX_ENVELOPE_BYTES,
  DEFAULT_MAX_OBJECT_BYTES,
  type FramerOptions,
  type ScanProblem,
  Step,
} from './step.ts';

const SPACE = 0x20;

/** What a list says of itself before its first item. */
export interface ListHead {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/**
 * Frames the body of a LIST: gives the elements of the root's `items` one by one, and everything else of
 * the root object as the envelope. Chunks may be cut anywhere.
 */
export class ListFramer {
  readonly #source: ListSource;
  readonly #root: RootReader;
  readonly #items: ItemReader;
  #isInItems = false;

  /** @throws RangeError when a limit is none */
  constructor(engine: ScanEngine, program: LoadedProgram, options: FramerOptions = {}) {
    const maxObjectBytes = checkedLimit('maxObjectBytes', options.maxObjectBytes ?? DEFAULT_MAX_OBJECT_BYTES);
    const maxEnvelopeBytes = checkedLimit(
      'maxEnvelopeBytes',
      options.maxEnvelopeBytes ?? DEFAULT_MAX_ENVELOPE_BYTES,
    );
    this.#source = new ListSource(engine);
    this.#root = new RootReader(this.#source, maxEnvelopeBytes);
    this.#items = new ItemReader(this.#source, program, maxObjectBytes);
  }

  /** What was wrong when `next` last said `bad` or `failed`. */
  get problem(): ScanProblem | undefined {
    return this.#source.problem;
  }

  /** After `bad`: the engine's result holds the item's identity, though its body can't be used. */
  get hasIdentity(): boolean {
    return this.#source.hasIdentity;
  }

  /** The root object without its items (a list's kind, apiVersion and metadata, or a Status), once `done`. */
  get envelope(): Record<string, unknown> | undefined {
    const isDone = this.#source.isEnded && !this.#source.hasFailed && this.#root.isComplete;
    return isDone ? this.#root.envelope.toObject() : undefined;
  }

  /** What is known of the list so far: a server that sorts keys sends `kind` behind the items. */
  get head(): ListHead {
    const kind = this.#root.envelope.text('kind');
    const apiVersion = this.#root.envelope.text('apiVersion');
    return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) };
  }

  /**
   * Gives the next bytes of the body. They are copied.
   *
   * @throws ScanMemoryError when more was pushed than `next` was called for
   */
  push(chunk: Uint8Array): void {
    const source = this.#source;
    if (source.isEnded) throw new Error('a list framer got bytes behind the end of its body');
    if (chunk.length === 0 || source.hasFailed) return;
    const { backlog } = source;
    // Another framer keeps the window as long as these bytes are not enough to go on.
    if (!backlog.isInWindow && backlog.length + chunk.length >= source.wantedBytes) backlog.take();
    backlog.append(chunk);
  }

  /** The body is complete. */
  end(): void {
    this.#source.isEnded = true;
  }

  /** Gives up: nothing more will be read. The window is free for others. */
  close(): void {
    this.#source.backlog.drop();
    if (!this.#root.isComplete) this.#source.hasFailed = true;
  }

  /**
   * Lets `next` say again what it said last: the caller found no room for it. Only after an `item`, or after
   * a `bad` with an identity, and before anything else is called.
   */
  unread(): void {
    this.#items.unread();
  }

  /** Goes on to the next item, problem or end. See {@link Step}. */
  next(): Step {
    const source = this.#source;
    source.hasIdentity = false;
    if (source.hasFailed) return Step.failed;
    const { length } = source.backlog;
    if (length < source.wantedBytes && !source.isEnded) return Step.more;
    if (length > 0) source.backlog.take();
    source.wantedBytes = 1;
    let step: Step | typeof GO_ON;
    do step = this.#advance();
    while (step === GO_ON);
    return step;
  }

  #advance(): Step | typeof GO_ON {
    if (this.#items.isSkipping) return this.#items.skip();
    const { engine, backlog, isEnded } = this.#source;
    const end = backlog.end;
    let at = backlog.start;
    if (at < end && engine.bytes[at]! <= SPACE) {
      at = engine.wasm.skipSpaces(at, end);
      backlog.consumeTo(at);
    }
    if (at === end) {
      if (!isEnded) return Step.more;
      if (this.#root.isComplete) return Step.done;
      return this.#source.fail('truncated', at, 'the body ends before the list does');
    }
    const byte = engine.bytes[at]!;
    const step = this.#isInItems ? this.#items.read(at, byte) : this.#root.read(at, byte);
    if (step !== ITEMS_BEGIN && step !== ITEMS_END) return step;
    this.#isInItems = step === ITEMS_BEGIN;
    return GO_ON;
  }
}
