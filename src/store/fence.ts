/**
 * Keeps the writes of a version window inside it. `Atomics.store` alone orders plain accesses on x86 only:
 * on ARM64 a later plain store may be seen before the odd version. JavaScript has no fence, WASM has.
 */

/** A WASM module with one function, `fence`, that is one `atomic.fence`. */
const FENCE_MODULE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic and version
  ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00], // type 0: () => ()
  ...[0x03, 0x02, 0x01, 0x00], // function 0 has type 0
  ...[0x07, 0x09, 0x01, 0x05, 0x66, 0x65, 0x6e, 0x63, 0x65, 0x00, 0x00], // export "fence"
  ...[0x0a, 0x07, 0x01, 0x05, 0x00, 0xfe, 0x03, 0x00, 0x0b], // body: atomic.fence
);

/** The part of WebAssembly that is needed here; the types of Node alone don't have it. */
interface WasmCompiler {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: { readonly fence: () => void } };
}

/** Compiles the fence for processors that need one. */
export function compileFence(): () => void {
  const wasm = (globalThis as unknown as { WebAssembly: WasmCompiler }).WebAssembly;
  return new wasm.Instance(new wasm.Module(FENCE_MODULE)).exports.fence;
}

/** x86 keeps the order of stores and of loads; an `Atomics.store` orders the rest. A fence would cost 25 ns. */
const needsFence = process.arch !== 'x64' && process.arch !== 'ia32';

/** No plain access moves over this, in either direction. */
export const fence: () => void = needsFence ? compileFence() : () => {};
