/** Two versions of kubering side by side in a temporary folder, under one benchmark: the checkout's. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface Version {
  /** As it is shown. */
  readonly name: string;
  /** Holds `src/` of this version, and `bench/` of the checkout. */
  readonly folder: string;
}

export interface Versions {
  readonly before: Version;
  readonly after: Version;
  /** What may make the comparison unfair. */
  readonly warnings: readonly string[];
  /** Removes both. */
  remove(): void;
}

/** Thrown when a version can't be made; the message says why. */
export class VersionError extends Error {
  override readonly name = 'VersionError';
  readonly code = 'ERR_BENCH_VERSION';
}

/** What a version consists of; benchmark and packages are the same for both. */
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json'];

/**
 * Both are copies, so that a checkout in which somebody goes on working can be compared. Files of the commit come from
 * `git archive`, which leaves nothing behind in the repository, even when it is interrupted.
 *
 * @param root - of the checkout
 * @throws {@link VersionError} when there is no such commit, or it can't be built
 */
export function makeVersions(root: string, commit: string): Versions {
  const hash = resolve(root, commit);
  const folder = mkdtempSync(join(tmpdir(), 'kubering-compare-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const before = { name: hash.slice(0, 10), folder: join(folder, 'before') };
    const after = { name: 'checkout', folder: join(folder, 'after') };
    for (const version of [before, after]) mkdirSync(version.folder);
    unpack(root, hash, before.folder);
    for (const source of SOURCES) {
      cpSync(join(root, source), join(after.folder, source), { recursive: true });
    }
    for (const version of [before, after]) complete(version, root);
    return { before, after, warnings: differencesOf(before, after), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function resolve(root: string, commit: string): string {
  // Behind `--`, whatever looks like an option would be taken for a path: so it is refused.
  if (commit.startsWith('-')) throw new VersionError(`'${commit}' is no commit`);
  try {
    return git(root, 'rev-parse', '--verify', '--quiet', `${commit}^{commit}`).toString().trim();
  } catch (cause) {
    throw new VersionError(`'${commit}' is no commit of this repository`, { cause });
  }
}

function unpack(root: string, hash: string, folder: string): void {
  const archive = git(root, 'archive', '--format=tar', hash, '--', ...SOURCES);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

function git(root: string, ...args: string[]): Buffer {
  const maxBuffer = 1024 ** 3;
  return execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer });
}

/** Packages are linked and the benchmark is copied: a link to it would find the checkout's sources. */
function complete({ name, folder }: Version, root: string): void {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  cpSync(join(root, 'bench'), join(folder, 'bench'), {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules',
  });
  const script = join(folder, 'scripts', 'build-wasm.ts');
  if (!existsSync(script)) return;
  try {
    execFileSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (cause) {
    const { stderr } = cause as { stderr?: Buffer };
    throw new VersionError(
      `the WASM module of ${name} can't be built: ${stderr?.toString().trim() ?? cause}`,
      {
        cause,
      },
    );
  }
}

function differencesOf(before: Version, after: Version): string[] {
  const [a, b] = [before, after].map(({ folder }) => {
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    return JSON.stringify(dependencies ?? {});
  });
  return a === b ? [] : [`${before.name} asks for other packages: it is measured with those of the checkout`];
}
