/** Compiles the WASM modules, each unless its file is newer than all it is made of. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TRANSCODER_INITIAL_PAGES, TRANSCODER_MAXIMUM_PAGES } from '../src/records/memory.ts';
import { INITIAL_PAGES, MAXIMUM_PAGES } from '../src/scan/memory.ts';

interface WasmBuild {
  readonly output: string;
  /** Folder of the AssemblyScript sources, with an index.ts. */
  readonly folder: string;
  /** What the sources import from elsewhere. */
  readonly imports: readonly string[];
  readonly pages: readonly [initial: number, maximum: number];
  readonly flags: readonly string[];
}

const BUILDS: readonly WasmBuild[] = [
  {
    output: 'src/scan/kubering.wasm',
    folder: 'src/scan/assembly/',
    imports: ['src/scan/program-layout.ts', 'src/scan/memory.ts', 'src/layout/scan.ts'],
    pages: [INITIAL_PAGES, MAXIMUM_PAGES],
    flags: ['--enable', 'simd,threads', '--importMemory', '--sharedMemory'],
  },
  {
    output: 'src/records/records.wasm',
    folder: 'src/scan/assembly/record/',
    imports: [
      'src/scan/assembly/blocks.ts',
      'src/records/memory.ts',
      ...['record', 'record-dictionary', 'record-memory'].map((name) => `src/layout/${name}.ts`),
    ],
    pages: [TRANSCODER_INITIAL_PAGES, TRANSCODER_MAXIMUM_PAGES],
    flags: ['--enable', 'simd'],
  },
];

const root = new URL('../', import.meta.url);

function modifiedMs(path: string | URL): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isFresh({ output, folder, imports }: WasmBuild): boolean {
  const sources = [
    ...readdirSync(new URL(folder, root)).map((name) => folder + name),
    ...imports,
    'scripts/build-wasm.ts',
  ];
  return (
    modifiedMs(new URL(output, root)) > Math.max(...sources.map((path) => modifiedMs(new URL(path, root))))
  );
}

async function compile({ output, folder, pages, flags }: WasmBuild): Promise<void> {
  // Loading the compiler takes longer than finding out that it is not needed.
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main([
    `${folder}index.ts`,
    ...['--baseDir', fileURLToPath(root)],
    ...['--outFile', output],
    ...['-O3', '--noAssert'],
    ...['--runtime', 'stub'],
    ...['--initialMemory', String(pages[0])],
    ...['--maximumMemory', String(pages[1])],
    ...flags,
  ]);
  if (error) throw new Error(`${output} did not compile:\n${stderr.toString()}`, { cause: error });
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

for (const build of BUILDS) {
  if (isFresh(build)) continue;
  await compile(build);
  const DATA_SECTION = 11;
  // Data would be written into memory again by each instance, over whatever lies there.
  if ([...sectionIds(readFileSync(new URL(build.output, root)))].includes(DATA_SECTION)) {
    throw new Error(`${build.output} has data segments: remove the literal that made them`);
  }
}
