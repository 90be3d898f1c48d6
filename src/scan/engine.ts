import type { HashSeed } from '../layout/key-hash.ts';
import { SCAN_NEST_BRACES, SCAN_NEST_DEPTH, SCAN_NEST_STATE } from '../layout/scan.ts';
import { RegionAllocator } from './allocator.ts';
import { PROGRAM_ALIGN_BYTES, programBytes, writeProgram } from './encode.ts';
import { ScanMemoryError } from './errors.ts';
import { filtersOf, type ScanFilters } from './filters.ts';
import { PROGRAMS_BYTE, PROGRAMS_BYTES, RESULT_BYTE } from './memory.ts';
import { type ScannerExports, scannerModule } from './module.ts';
import { compileSpec } from './program.ts';
import type { ScanSpec } from './spec.ts';
import { type WasmModule, webAssembly } from './webassembly.ts';
import { ScanWindow } from './window.ts';

export interface ScanEngineOptions {
  /** The compiled scanner, when another thread has it already. Default: read from the package. */
  readonly module?: WasmModule;
  /** Seed of the key hashes. */
  readonly seed: HashSeed;
}

/** A scan spec in the memory of one engine. */
export interface LoadedProgram {
  /** Node where the scan of a list item starts; 0 after `free`. */
  readonly objectNode: number;
  /** Node where the scan of a watch event starts; 0 after `free`. */
  readonly eventNode: number;
  /** Gives the memory back. Framers that use the program must not be called any more. */
  free(): void;
}

/**
 * The scanner of one worker: its WASM memory with one window of input, which all framers of the worker
 * share, and one result region.
 *
 * A result (and the bytes it points to) is valid until the next call of any framer of the engine.
 */
export class ScanEngine {
  /** @internal */
  readonly window: ScanWindow;
  /** @internal */
  readonly wasm: ScannerExports;
  /** Index in {@link words} of the result of the last scan, laid out by layout/scan.ts. */
  readonly resultWord = RESULT_BYTE / 4;
  readonly #seedLo: number;
  readonly #seedHi: number;
  readonly #programs = new RegionAllocator(PROGRAMS_BYTE, PROGRAMS_BYTES, PROGRAM_ALIGN_BYTES);
  /** By the nodes where scans start; of the few programs that have filters. */
  readonly #filters = new Map<number, ScanFilters>();
  #lastNode = 0;

  private constructor(window: ScanWindow, wasm: ScannerExports, seed: HashSeed) {
    this.window = window;
    this.wasm = wasm;
    this.#seedLo = seed.lo | 0;
    this.#seedHi = seed.hi | 0;
  }

  /** @throws ScannerMissingError when no module is given and the package's file is not there */
  static create(options: ScanEngineOptions): ScanEngine {
    const window = new ScanWindow();
    const instance = new webAssembly.Instance(options.module ?? scannerModule(), {
      env: { memory: window.memory },
    });
    return new ScanEngine(window, instance.exports as ScannerExports, options.seed);
  }

  /** All of the WASM memory. Read it anew after each call of a framer: it is replaced when the memory grows. */
  get bytes(): Buffer {
    return this.window.bytes;
  }

  /** All of the WASM memory in words; the same holds. */
  get words(): Uint32Array {
    return this.window.words;
  }

  /** Size of the WASM memory, which never shrinks. */
  get memoryBytes(): number {
    return this.window.bytes.length;
  }

  /**
   * Compiles a spec and loads it.
   *
   * @throws ScanSpecError when the spec is wrong or exceeds a limit
   * @throws ScanMemoryError when too many programs are loaded
   */
  load(spec: ScanSpec): LoadedProgram {
    const program = compileSpec(spec);
    const bytes = programBytes(program);
    const address = this.#programs.claim(bytes);
    if (address === 0) {
      throw new ScanMemoryError(
        `no room for a scan program of ${bytes} bytes beside the others (${PROGRAMS_BYTES} bytes in all): ` +
          'use fewer fields, or more workers',
      );
    }
    const nodes = writeProgram(program, this.bytes, address);
    const filters = filtersOf(spec);
    if (filters !== undefined) {
      this.#filters.set(nodes.objectNode, filters);
      this.#filters.set(nodes.eventNode, filters);
    }
    const loaded = {
      objectNode: nodes.objectNode,
      eventNode: nodes.eventNode,
      free: () => {
        if (loaded.objectNode === 0) return;
        this.#filters.delete(loaded.objectNode);
        this.#filters.delete(loaded.eventNode);
        loaded.objectNode = 0;
        loaded.eventNode = 0;
        this.#programs.release(address, bytes);
      },
    };
    return loaded;
  }

  /**
   * Scans the object or event at `begin` with a program's node.
   *
   * @internal
   * @returns SCAN_COMPLETE, SCAN_INCOMPLETE or SCAN_MALFORMED
   */
  scan(node: number, begin: number, end: number): number {
    if (node === 0) throw new Error('a scan program was used after it was freed: close its framers first');
    this.#lastNode = node;
    return this.wasm.scan(RESULT_BYTE, node, begin, end, this.#seedLo, this.#seedHi);
  }

  /** Filters of the program of the last result: its fields with these ids hold elements to look into. */
  get filters(): ScanFilters {
    return this.#filters.size === 0 ? undefined : this.#filters.get(this.#lastNode);
  }

  /** A word of the last result. */
  resultAt(word: number): number {
    return this.words[this.resultWord + word]!;
  }

  /**
   * Goes on with a structural scan: see {@link NestState}.
   *
   * @internal
   * @returns the address behind the closing bracket, {@link NEST_OPEN} or {@link NEST_BROKEN}
   */
  followNest(state: NestState, begin: number, end: number): number {
    const { words, resultWord } = this;
    words[resultWord + SCAN_NEST_DEPTH] = state.depth;
    words[resultWord + SCAN_NEST_BRACES] = state.braces;
    words[resultWord + SCAN_NEST_STATE] = state.bits;
    const stop = this.wasm.followNest(RESULT_BYTE, begin, end);
    if (stop !== 0) return stop;
    if (this.wasm.failure() < end) return NEST_BROKEN;
    state.depth = words[resultWord + SCAN_NEST_DEPTH]! | 0;
    state.braces = words[resultWord + SCAN_NEST_BRACES]! | 0;
    state.bits = words[resultWord + SCAN_NEST_STATE]!;
    return NEST_OPEN;
  }
}

/** The bracket that the scan began with is not closed yet. */
export const NEST_OPEN = 0;
/** It was closed by a bracket of the other kind. */
export const NEST_BROKEN = -1;

/** How far a structural scan has come that goes on with the next bytes. */
export interface NestState {
  depth: number;
  braces: number;
  /** SCAN_NEST_IN_STRING and so on. */
  bits: number;
}

export function newNestState(): NestState {
  return { depth: 0, braces: 0, bits: 0 };
}
