import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assetUrl } from '../module-url.ts';
import type { WasmModule } from '../scan/index.ts';
import { TranscoderMissingError } from './errors.ts';

/** What the WASM module exports, see scan/assembly/record/index.ts. Addresses are bytes in its memory. */
export interface TranscoderExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  openEpoch(epoch: number): void;
  transcode(
    input: number,
    length: number,
    pool: number,
    scratch: number,
    structure: number,
    objectTag: number,
    learnsValues: number,
  ): number;
}

/** The part of the WebAssembly API that is used here; its types come with the DOM library only. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
}

const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;

let compiled: WasmModule | undefined;

/**
 * The transcoder's compiled module, of which a thread needs one. It can be posted to other threads.
 *
 * @throws TranscoderMissingError when the file is not there
 */
export function transcoderModule(): WasmModule {
  compiled ??= new webAssembly.Module(readModule());
  return compiled;
}

/** An instance with a memory of its own. */
export function newInstance(module: WasmModule): TranscoderExports {
  // `abort` is never called: the stub runtime only mentions it.
  return new webAssembly.Instance(module, { env: {} }).exports as TranscoderExports;
}

function readModule(): Buffer {
  const path = fileURLToPath(assetUrl('./records.wasm', import.meta.url));
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new TranscoderMissingError(`the transcoder can't be read from ${path}: run npm run build:wasm`, {
      cause,
    });
  }
}
