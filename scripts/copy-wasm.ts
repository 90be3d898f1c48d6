/** Puts the WASM modules beside the compiled code, where they are looked for. */
import { copyFileSync } from 'node:fs';

for (const name of ['scan/kubering.wasm', 'records/records.wasm']) {
  copyFileSync(new URL(`../src/${name}`, import.meta.url), new URL(`../dist/${name}`, import.meta.url));
}
