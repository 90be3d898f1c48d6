/** Compiles the scanner to src/scan/kubering.wasm, unless that file is newer than all it is made of. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { INITIAL_PAGES, MAXIMUM_PAGES } from '../src/scan/memory.ts';

const root = new URL('../', import.meta.url);
const assembly = new URL('src/scan/assembly/', root);
const output = new URL('src/scan/kubering.wasm', root);

const sources = [
  fileURLToPath(import.meta.url),
  ...readdirSync(assembly).map((name) => fileURLToPath(new URL(name, assembly))),
  ...['src/scan/program-layout.ts', 'src/scan/memory.ts', 'src/layout/scan.ts'].map((path) =>
    fileURLToPath(new URL(path, root)),
  ),
];

function modifiedMs(path: string | URL): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function compile(): Promise<void> {
  // Loading the compiler takes longer than finding out that it is not needed.
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main([
    'src/scan/assembly/index.ts',
    ...['--baseDir', fileURLToPath(root)],
    ...['--outFile', 'src/scan/kubering.wasm'],
    ...['-O3', '--noAssert'],
    ...['--runtime', 'stub'],
    ...['--enable', 'simd,threads'],
    ...['--importMemory', '--sharedMemory'],
    ...['--initialMemory', String(INITIAL_PAGES)],
    ...['--maximumMemory', String(MAXIMUM_PAGES)],
  ]);
  if (error) throw new Error(`the scanner did not compile:\n${stderr.toString()}`, { cause: error });
  process.stderr.write(stderr.toString());
}

/** Ids of the sections of a WASM file. */
function* sectionIds(bytes: Buffer): Generator<number> {
  let at = 8;
  while (at < bytes.length) {
    yield bytes[at++]!;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += size;
  }
}

if (modifiedMs(output) <= Math.max(...sources.map(modifiedMs))) {
  await compile();
  const DATA_SECTION = 11;
  // Data would be written into memory again by each instance, over whatever lies there.
  if ([...sectionIds(readFileSync(output))].includes(DATA_SECTION)) {
    throw new Error('src/scan/kubering.wasm has data segments: remove the literal that made them');
  }
}
