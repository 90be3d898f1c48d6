/** Builds kube-apiserver and etcd, once per version: the results are kept. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, goBuild, goModOf, goVersion } from './go.ts';
import { ETCD_VERSION, KUBERNETES_VERSION } from './versions.ts';

/** Paths of the programs. */
export interface Programs {
  readonly kubeApiServer: string;
  readonly etcd: string;
}

interface Program {
  readonly name: string;
  /** Programs of different keys are kept side by side. */
  readonly key: string;
  readonly target: string;
  readonly ldflags: string;
  /** Writes what is built to a folder. */
  readonly prepare: (folder: string) => Promise<void>;
}

/** Symbols are of no use here, and half of the size. */
const SMALL = '-s -w';

/** @throws GoError when there is no Go, or it can't build them */
export async function buildPrograms(options: BuildOptions): Promise<Programs> {
  const go = await goVersion();
  const platform = `${go}-${process.platform}-${process.arch}`;
  const kubeApiServer: Program = {
    name: 'kube-apiserver',
    key: `${KUBERNETES_VERSION}-${platform}`,
    target: 'k8s.io/kubernetes/cmd/kube-apiserver',
    // Else `/version` and the user agent would name no version.
    ldflags: `${SMALL} ${versionFlags()}`,
    prepare: async (folder) => {
      const goMod = await readFile(await goModOf('k8s.io/kubernetes', KUBERNETES_VERSION), 'utf8');
      await writeFile(join(folder, 'go.mod'), kubernetesModule(goMod));
    },
  };
  const etcd: Program = {
    name: 'etcd',
    key: `${ETCD_VERSION}-${platform}`,
    target: 'go.etcd.io/etcd/server/v3',
    ldflags: SMALL,
    prepare: (folder) => writeFile(join(folder, 'go.mod'), etcdModule()),
  };
  return { etcd: await build(etcd, options), kubeApiServer: await build(kubeApiServer, options) };
}

async function build(program: Program, options: BuildOptions): Promise<string> {
  const folder = cacheFolder();
  const path = join(folder, `${program.name}-${program.key}`);
  if (existsSync(path)) return path;
  options.say(`building ${path}, once; kube-apiserver takes some ten minutes on two processors`);
  await mkdir(folder, { recursive: true });
  // Renamed when it is complete, so that nobody finds half of it.
  const scratch = await mkdtemp(join(folder, 'build-'));
  try {
    await program.prepare(scratch);
    const output = join(scratch, program.name);
    const { target, ldflags } = program;
    await goBuild({ folder: scratch, target, output, ldflags }, options);
    await rename(output, path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return path;
}

/** Outside of the tree: a clean checkout must not build for ten minutes. */
function cacheFolder(): string {
  const { KUBERING_CONFORMANCE_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  return own || join(xdg || join(homedir(), '.cache'), 'kubering', 'conformance');
}

function versionFlags(): string {
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const values = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}

function goModule(name: string, ...rest: string[]): string {
  return [`module kubering.example.com/conformance/${name}`, 'go 1.26.0', ...rest, ''].join('\n\n');
}

function etcdModule(): string {
  return goModule('etcd', `require go.etcd.io/etcd/server/v3 v${ETCD_VERSION}`);
}

/**
 * Kubernetes' own go.mod names its staging modules at v0.0.0 and replaces them by folders; replacements of a
 * dependency don't count, so the published modules of the same release are named here.
 */
function kubernetesModule(goMod: string): string {
  const staging = [...goMod.matchAll(/^\s(k8s\.io\/[\w-]+) v0\.0\.0$/gm)].map(([, module]) => module);
  const version = `v${KUBERNETES_VERSION.replace(/^1/, '0')}`;
  const replacements = staging.map((module) => `replace ${module} => ${module} ${version}`);
  return goModule(
    'kube-apiserver',
    `require k8s.io/kubernetes v${KUBERNETES_VERSION}`,
    replacements.join('\n'),
  );
}
