/** Where the scanner's WASM file lies: beside this module, in the sources and in the package alike. */
export function wasmUrl(): URL {
  return new URL('./kubering.wasm', import.meta.url);
}
