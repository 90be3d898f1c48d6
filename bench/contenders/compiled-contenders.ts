/** Contenders in other languages, built by the client of their language when they are first wanted. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender } from '../suite/contender.ts';
import { type Mode, SCENARIOS, type ScenarioName } from '../suite/protocol.ts';
import { buildOnce, builtFolder, cacheFolder, runTool, versionOfTool } from './toolchain/index.ts';

const MODES: readonly Mode[] = ['keys', 'two-fields', 'decode-all'];

/** A program: several contenders may be one, told apart by its first argument. */
interface Program {
  /** Name of its folder, and of the library in the header of results. */
  readonly name: string;
  readonly tool: string;
  /** What to do when the tool is missing. */
  readonly advice: string;
  /** Version of the toolchain, under its name. */
  toolVersion(): Promise<Readonly<Record<string, string>> | undefined>;
  libraryVersion(sources: string): string;
  compile(sources: string, output: string, log: (line: string) => void): Promise<void>;
}

const CLIENT_GO: Program = {
  name: 'client-go',
  tool: 'go',
  advice: 'install Go 1.26 or later (https://go.dev/dl/)',
  async toolVersion() {
    const version = await versionOfTool('go', 'env', 'GOVERSION');
    return version === undefined ? undefined : { go: version.replace(/^go/, '') };
  },
  libraryVersion: (sources) => lineOf(sources, 'go.mod', /k8s\.io\/client-go v(\S+)/),
  compile: (sources, output, log) =>
    runTool(
      {
        tool: 'go',
        args: ['build', '-v', '-mod=readonly', '-buildvcs=false', '-o', output, '.'],
        folder: sources,
        // Workspaces and flags of whoever runs this must not change what is built.
        env: { GOWORK: 'off', GOFLAGS: '' },
      },
      log,
    ),
};

const KUBE_RS: Program = {
  name: 'kube-rs',
  tool: 'cargo',
  advice: 'install Rust (https://rustup.rs)',
  async toolVersion() {
    const version = await versionOfTool('cargo', '--version');
    return version === undefined ? undefined : { rust: version.split(' ')[1]! };
  },
  libraryVersion: (sources) => lineOf(sources, 'Cargo.lock', /name = "kube"\nversion = "([^"]+)"/),
  async compile(sources, output, log) {
    // Kept between builds: with the dependencies compiled, a change of the program takes seconds.
    const target = join(cacheFolder(), 'cargo-target');
    const args = ['build', '--release', '--locked', '--target-dir', target];
    await runTool({ tool: 'cargo', args, folder: sources }, log);
    await copyFile(join(target, 'release', 'kubering-bench-kube-rs'), output);
  },
};

/** Resources without generated types are for the dynamic client alone. */
const TYPED: readonly ScenarioName[] = SCENARIOS.filter((scenario) => scenario !== 'many');
/** Neither the benchmark server nor the fake one speaks Protobuf. */
const REAL: readonly ScenarioName[] = ['real'];

export const COMPILED: readonly Contender[] = [
  compiled(CLIENT_GO, 'client-go-typed', 'client-go, typed, JSON', TYPED),
  compiled(CLIENT_GO, 'client-go-dynamic', 'client-go, dynamic', SCENARIOS),
  compiled(CLIENT_GO, 'client-go-protobuf', 'client-go, typed, Protobuf', REAL),
  compiled(KUBE_RS, 'kube-rs', 'kube-rs', SCENARIOS),
];

function compiled(
  program: Program,
  name: string,
  label: string,
  scenarios: readonly ScenarioName[],
): Contender {
  const sources = fileURLToPath(new URL(`./${program.name}`, import.meta.url));
  const folder = () => builtFolder(program.name, sources);
  const versionsFile = () => join(folder(), VERSIONS_FILE);
  return {
    name,
    label,
    modes: MODES,
    scenarios,
    async available() {
      if (existsSync(folder()) || (await program.toolVersion()) !== undefined) return;
      return `${program.tool} is not installed, or not on the PATH: ${program.advice}`;
    },
    build: (log) =>
      buildOnce(folder(), async (scratch) => {
        await program.compile(sources, join(scratch, program.name), log);
        const versions = {
          [program.name]: program.libraryVersion(sources),
          ...(await program.toolVersion()),
        };
        await writeFile(join(scratch, VERSIONS_FILE), JSON.stringify(versions));
      }),
    command: () => ({ file: join(folder(), program.name), args: [name] }),
    versions: async () => JSON.parse(readFileSync(versionsFile(), 'utf8')),
  };
}

/** Beside the program: the toolchain that built it may be gone, or another one. */
const VERSIONS_FILE = 'versions.json';

function lineOf(sources: string, file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(sources, file), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${join(sources, file)} does not say which version it has`);
  return version;
}
