/** A worker's module that fails on command, for tests of what follows. */
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import host from '../../src/worker/entry.ts';

export const FAILURES = 'kubering-test-failures';

export type Failure = 'memory' | 'trap';

/** `(module (func (export "trap") unreachable))` */
const TRAP = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[7, 8, 1, 4, 0x74, 0x72, 0x61, 0x70, 0, 0],
  ...[10, 5, 1, 3, 0, 0, 11],
]);

interface Wasm {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports?: object,
  ) => { exports: Record<string, (...args: number[]) => number> };
}

const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
const { Instance } = wasm;
const { trap } = new Instance(new wasm.Module(TRAP)).exports as { trap: () => number };
let mustTrap = false;

wasm.Instance = class {
  readonly exports: Record<string, (...args: number[]) => number>;

  constructor(module: object, imports?: object) {
    const { exports } = new Instance(module, imports);
    const { scan } = exports as { scan: (...args: number[]) => number };
    this.exports = { ...exports, scan: (...args) => (mustTrap ? trap() : scan(...args)) };
  }
};

// The test itself takes names from here.
if (!isMainThread) {
  const failures = new BroadcastChannel(FAILURES);
  failures.onmessage = (message) => {
    const failure = (message as unknown as { data: Failure }).data;
    if (failure === 'trap') mustTrap = true;
    else exhaustHeap();
  };
  failures.unref();
}

interface Link {
  readonly next: Link | undefined;
}

/** In small steps: V8 ends the whole process when one goes far beyond the limit. */
function exhaustHeap(): void {
  let head: Link | undefined;
  for (;;) head = { next: head };
}

export default host;
