import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ScannerMissingError } from './errors.ts';
import { wasmUrl } from './wasm-url.ts';
import { type WasmModule, webAssembly } from './webassembly.ts';

/** What the WASM module exports, see assembly/index.ts. Addresses are bytes in its memory. */
export interface ScannerExports {
  scan(region: number, root: number, begin: number, end: number, seedLo: number, seedHi: number): number;
  skipValue(begin: number, end: number): number;
  skipString(begin: number, end: number): number;
  skipSpaces(begin: number, end: number): number;
  followNest(region: number, begin: number, end: number): number;
  lineEnd(begin: number, end: number): number;
  failure(): number;
}

let compiled: WasmModule | undefined;

/**
 * The scanner's compiled module, of which a thread needs one. It can be posted to other threads.
 *
 * @throws ScannerMissingError when the file is not there
 */
export function scannerModule(): WasmModule {
  compiled ??= new webAssembly.Module(readScanner());
  return compiled;
}

function readScanner(): Buffer {
  const path = fileURLToPath(wasmUrl());
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ScannerMissingError(`the scanner can't be read from ${path}: run npm run build:wasm`, {
      cause,
    });
  }
}
