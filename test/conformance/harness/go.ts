/** Runs Go's own client, which builds the servers from published modules. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** The build takes minutes on all processors: whatever else runs on the machine comes first. */
const BUILD_NICENESS = 15;

/** More compilers at once need more memory than small machines have: each package takes up to 1 GB. */
const COMPILERS = 2;

/** How often a long build says that it is alive. */
const PROGRESS_INTERVAL_MS = 15_000;

/** Enough of a compiler's output to see what is wrong. */
const ERROR_LINES = 30;

/** There is no usable Go, or it could not build something. The message says what to do. */
export class GoError extends Error {
  override readonly name = 'GoError';
}

/** The version that `go version` tells, for example `go1.26.8`. @throws GoError when there is no Go */
export async function goVersion(): Promise<string> {
  const { stdout } = await runGo('.', ['env', 'GOVERSION']);
  return stdout.trim();
}

/** Where the go.mod file of a published module lies after a download. @throws GoError */
export async function goModOf(module: string, version: string): Promise<string> {
  const { stdout } = await runGo('.', ['mod', 'download', '-json', `${module}@v${version}`]);
  return (JSON.parse(stdout) as { GoMod: string }).GoMod;
}

export interface GoBuild {
  /** Folder with the go.mod file. */
  readonly folder: string;
  readonly target: string;
  readonly output: string;
  readonly ldflags: string;
}

/** How a build that takes minutes gets on with who started it. */
export interface BuildOptions {
  readonly say: (line: string) => void;
  /** Ends the build. */
  readonly signal: AbortSignal;
}

/** Builds one program, and tells every now and then how far it is. @throws GoError */
export async function goBuild(build: GoBuild, { say, signal }: BuildOptions): Promise<void> {
  const { folder, target, output, ldflags } = build;
  const startMs = performance.now();
  let packages = 0;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    say(`  ${packages} packages compiled, ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  }, PROGRESS_INTERVAL_MS);
  const flags = ['-v', '-p', String(COMPILERS), '-mod=mod', '-trimpath', '-buildvcs=false'];
  try {
    await runGo(folder, ['build', ...flags, `-ldflags=${ldflags}`, '-o', output, target], {
      signal,
      onLine(line) {
        if (PACKAGE.test(line)) packages++;
      },
    });
  } finally {
    clearInterval(timer);
  }
}

/** What `go build -v` prints for each package. */
const PACKAGE = /^[\w.-]+(\/[\w.-]+)*$/;

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

function runGo(folder: string, args: readonly string[], { signal, onLine }: RunOptions = {}) {
  return new Promise<{ stdout: string }>((resolve, reject) => {
    // Workspaces and flags of whoever runs this must not change what is built.
    const env = { ...process.env, GOWORK: 'off', GOFLAGS: '', CGO_ENABLED: '0' };
    const child = spawn('go', args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal !== undefined && { signal }),
    });
    let stdout = '';
    let rest = '';
    const lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop()!;
      for (const line of parts) {
        lines.push(line);
        onLine?.(line);
      }
      lines.splice(0, lines.length - ERROR_LINES);
    });
    child.once('spawn', () => lowerPriority(child.pid!));
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(new GoError(error.code === 'ENOENT' ? NO_GO : `go could not be run: ${error.message}`));
    });
    child.once('close', (code) => {
      if (code === 0) resolve({ stdout });
      else reject(new GoError(`go ${args[0]} failed in ${folder}:\n${[...lines, rest].join('\n')}`));
    });
  });
}

const NO_GO =
  'there is no `go` on the PATH. The conformance tests build kube-apiserver and etcd from Go modules: install Go 1.26 or later (https://go.dev/dl/) and run them again. `npm test` needs no Go.';

/** Compilers that Go starts inherit it. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, BUILD_NICENESS);
  } catch {
    // It has ended already, or the system has no priorities: the build only takes its full share.
  }
}
