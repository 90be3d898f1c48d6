/** Contenders that run in Node.js. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender } from '../suite/contender.ts';
import { SCENARIOS } from '../suite/protocol.ts';
import { VARIANTS } from './kubering/variants.ts';
import { buildOnce, builtFolder, runTool, versionOfTool } from './toolchain/index.ts';

const MODES = ['keys', 'two-fields', 'decode-all'] as const;

/** The heap is looked at behind a forced collection. */
const NODE_FLAGS = ['--expose-gc'];

/** kubering with its defaults, and with each of the options that are worth a row of their own. */
export const KUBERING: readonly Contender[] = Object.entries(VARIANTS).map(([name, { label }]) => ({
  name,
  label,
  modes: MODES,
  scenarios: SCENARIOS,
  available: async () => undefined,
  build: async () => {},
  command: () => nodeCommand('./kubering/main.ts', name),
  versions: async () => ({ kubering: versionIn(new URL('../../package.json', import.meta.url)) }),
}));

export const CLIENT_NODE: Contender = {
  name: 'client-node',
  label: '@kubernetes/client-node',
  modes: MODES,
  scenarios: SCENARIOS,
  available: async () => undefined,
  build: async () => {},
  command: () => nodeCommand('./client-node/main.ts'),
  versions: async () => ({ 'client-node': versionIn(packageOf('@kubernetes/client-node')) }),
};

const FLUENT_SOURCES = fileURLToPath(new URL('./fluent-client', import.meta.url));
const FLUENT_FILES = ['package.json', 'package-lock.json'];
const FLUENT_PACKAGE = 'node_modules/kubernetes-fluent-client';

/** Installed outside of the checkout: it brings a client-node of its own, which must not be taken for ours. */
export const FLUENT_CLIENT: Contender = {
  name: 'fluent-client',
  label: 'kubernetes-fluent-client',
  modes: MODES,
  scenarios: SCENARIOS,
  async available() {
    if (existsSync(fluentFolder()) || (await versionOfTool('npm', '--version')) !== undefined) return;
    return 'npm is not installed, or not on the PATH';
  },
  build: (log) =>
    buildOnce(fluentFolder(), async (scratch) => {
      for (const file of FLUENT_FILES) {
        await copyFile(join(FLUENT_SOURCES, file), join(scratch, file));
      }
      await runTool({ tool: 'npm', args: ['ci', '--ignore-scripts'], folder: scratch }, log);
    }),
  command: () =>
    nodeCommand('./fluent-client/main.ts', join(fluentFolder(), FLUENT_PACKAGE, 'dist/index.js')),
  versions: async () => ({
    'fluent-client': versionIn(join(fluentFolder(), FLUENT_PACKAGE, 'package.json')),
  }),
};

function fluentFolder(): string {
  return builtFolder('fluent-client', FLUENT_SOURCES, FLUENT_FILES);
}

function nodeCommand(script: string, ...args: readonly string[]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return { file: process.execPath, args: [...NODE_FLAGS, path, ...args] };
}

/** The package.json of a package that does not show it to importers. */
function packageOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name, 'package.json')).find((path) => existsSync(path))!;
}

function versionIn(path: string | URL): string {
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
