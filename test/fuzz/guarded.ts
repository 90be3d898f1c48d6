/**
 * A scanner whose memory is watched: what lies outside of the bytes that are scanned is filled with a pattern before a
 * body, and compared after it. Two of them with different patterns must say the same, else one read what it must not.
 */
import assert from 'node:assert/strict';
import { SCAN_RESULT_WORDS } from '../../src/layout/scan.ts';
import {
  ListFramer,
  type LoadedProgram,
  type ScanEngine,
  type ScanSpec,
  Step,
  WatchFramer,
} from '../../src/scan/index.ts';
import { OVERRUN_BYTES, PROGRAMS_BYTE, RESULT_BYTE, WINDOW_BYTE } from '../../src/scan/memory.ts';
import { keptText, newEngine, readResult, type Seen } from '../scan/harness.ts';

/** Behind the window's first bytes: bodies are smaller, but for those that say so themselves. */
const WATCHED_BYTES = 16 * 1024;

/** Steps that a body may take, besides one per byte: each gives an object or a problem, or wants more. */
const EXTRA_STEPS = 64;

const RESULT_END = RESULT_BYTE + SCAN_RESULT_WORDS * 4;

/** What was said of a body. */
export interface Said {
  /** Of each object or event: what the scanner found, or undefined when its body is broken JSON. */
  readonly seen: (Seen | undefined)[];
  readonly problems: string[];
  readonly envelope: Record<string, unknown> | undefined;
  readonly isDone: boolean;
}

export class GuardedScanner {
  readonly #engine: ScanEngine = newEngine();
  readonly #program: LoadedProgram;
  readonly #pattern: number;
  readonly #before: Buffer;

  /** @param pattern - the byte that lies where nothing should be read */
  constructor(spec: ScanSpec, pattern: number) {
    this.#program = this.#engine.load(spec);
    this.#pattern = pattern;
    this.#before = Buffer.from(this.#engine.bytes.subarray(PROGRAMS_BYTE, WINDOW_BYTE));
  }

  list(chunks: readonly Buffer[]): Said {
    return this.#run(new ListFramer(this.#engine, this.#program), chunks);
  }

  watch(chunks: readonly Buffer[]): Said {
    return this.#run(new WatchFramer(this.#engine, this.#program), chunks);
  }

  #run(framer: ListFramer | WatchFramer, chunks: readonly Buffer[]): Said {
    const { bytes, window } = this.#engine;
    const windowEnd = Math.min(WINDOW_BYTE + WATCHED_BYTES, window.end);
    bytes.fill(this.#pattern, RESULT_END, PROGRAMS_BYTE);
    bytes.fill(this.#pattern, WINDOW_BYTE, windowEnd);
    bytes.fill(this.#pattern, window.end, window.end + OVERRUN_BYTES);
    const said: Said & { isDone: boolean } = { seen: [], problems: [], envelope: undefined, isDone: false };
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    let steps = length + chunks.length + EXTRA_STEPS;
    const drain = () => {
      for (;;) {
        assert.ok(steps-- > 0, 'the scanner goes round in circles');
        const step = framer.next();
        if (step === Step.more) return true;
        if (step === Step.done) said.isDone = true;
        if (step === Step.bad || step === Step.failed) {
          said.problems.push(`${framer.problem!.reason}@${framer.problem!.byte}`);
        }
        if (step === Step.done || step === Step.failed) return false;
        if (step === Step.item || step === Step.event) said.seen.push(this.#read());
      }
    };
    let goesOn = true;
    for (const chunk of chunks) {
      framer.push(chunk);
      goesOn = drain();
      if (!goesOn) break;
    }
    if (goesOn) {
      framer.end();
      drain();
    }
    const envelope = framer instanceof ListFramer ? framer.envelope : undefined;
    framer.close();
    this.#checkGuards(length);
    return { ...said, envelope };
  }

  #read(): Seen | undefined {
    try {
      // What a lister does to an object: other oracles than V8's own parser come where the two differ.
      JSON.parse(keptText(this.#engine));
      return readResult(this.#engine);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** @param length - of the body */
  #checkGuards(length: number): void {
    const { bytes, window } = this.#engine;
    this.#checkPattern(0, RESULT_BYTE, 0, 'the page that nobody uses');
    this.#checkPattern(RESULT_END, PROGRAMS_BYTE, this.#pattern, 'what lies behind the result');
    assert.ok(bytes.subarray(PROGRAMS_BYTE, WINDOW_BYTE).equals(this.#before), 'programs were written to');
    // Twice the length: what a framer keeps moves to the window's start now and then.
    const unused = WINDOW_BYTE + 2 * length + OVERRUN_BYTES;
    this.#checkPattern(unused, WINDOW_BYTE + WATCHED_BYTES, this.#pattern, 'the unused window');
    this.#checkPattern(window.end, window.end + OVERRUN_BYTES, this.#pattern, 'what lies behind the window');
  }

  #checkPattern(begin: number, end: number, pattern: number, what: string): void {
    if (begin >= end) return;
    const wanted = patternOf(pattern);
    const found = this.#engine.bytes.subarray(begin, end);
    assert.ok(found.equals(wanted.subarray(0, end - begin)), `${what} was written to`);
  }
}

/** Buffers of one byte, to compare with. */
const patterns = new Map<number, Buffer>();

function patternOf(byte: number): Buffer {
  const known = patterns.get(byte) ?? Buffer.alloc(PROGRAMS_BYTE, byte);
  patterns.set(byte, known);
  return known;
}
