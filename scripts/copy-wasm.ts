/** Puts the scanner beside the compiled code, where it is looked for. */
import { copyFileSync } from 'node:fs';

copyFileSync(
  new URL('../src/scan/kubering.wasm', import.meta.url),
  new URL('../dist/scan/kubering.wasm', import.meta.url),
);
