import { assetUrl } from '../module-url.ts';

/** Where the scanner's WASM file lies: beside this module, in the sources and in the package alike. */
export function wasmUrl(): URL {
  return assetUrl('./kubering.wasm', import.meta.url);
}
