import { execFile } from 'node:child_process';
import { CredentialsError, codeOfError, redact, safeCause } from './errors.ts';
import type { ExecSpec } from './user-entry.ts';

/** Credentials are a few KB: a token, a certificate, a key. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** From the polite signal to the other one. */
const KILL_AFTER_MS = 2_000;

/** How a plugin is run. */
export interface ExecRun {
  readonly exec: ExecSpec;
  /** Text of KUBERNETES_EXEC_INFO. */
  readonly info: string;
  /** A plugin that runs for longer is ended. */
  readonly limitMs: number;
}

/**
 * Runs a credentials plugin and gives what it printed. It gets nothing to read, and what it says on its error output
 * is for the error.
 *
 * @throws CredentialsError when there is none, it fails, or it takes too long
 */
export async function runExec({ exec, info, limitMs }: ExecRun): Promise<string> {
  if (!exec.command) {
    const message = 'the exec of the user has no command; correct the kubeconfig';
    throw new CredentialsError(message, { code: 'exec-not-found' });
  }
  const environment: Record<string, string | undefined> = { ...process.env };
  for (const { name, value } of exec.env ?? []) environment[name] = value;
  environment.KUBERNETES_EXEC_INFO = info;
  return new Promise((resolve, reject) => {
    const child = execFile(
      exec.command,
      [...(exec.args ?? [])],
      { env: environment, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true },
      (error, stdout, stderr) => {
        clearTimeout(limit);
        if (error === null) resolve(stdout);
        else reject(explain(exec, error, stderr));
      },
    );
    // One that was ended, or that waits for input that will not come, is told so by the end of its input.
    child.stdin?.on('error', () => {}).end();
    const limit = setTimeout(() => {
      reject(tooLate(exec, limitMs));
      child.kill();
      // Its children may hold its pipes open: nobody reads them any more.
      child.stdout?.destroy();
      child.stderr?.destroy();
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    }, limitMs);
  });
}

function tooLate({ command }: ExecSpec, limitMs: number): CredentialsError {
  const message = `the credentials plugin ${command} gave no answer in ${limitMs / 1000} s and was ended; run it by hand and see whether it waits for somebody, or raise credentialsTimeoutMs`;
  return new CredentialsError(message, { code: 'exec-timeout' });
}

function explain(exec: ExecSpec, error: Error, stderr: string): CredentialsError {
  const { command } = exec;
  const code = codeOfError(error);
  if (code === 'ENOENT') {
    const hint = exec.installHint ? ` (${redact(exec.installHint)})` : '';
    const message = `the credentials plugin ${command} was not found; install it, or correct its path in the kubeconfig${hint}`;
    return new CredentialsError(message, { code: 'exec-not-found', cause: safeCause(error) });
  }
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    const message = `the credentials plugin ${command} printed more than ${MAX_OUTPUT_BYTES / 1024} KiB; run it by hand and see`;
    return new CredentialsError(message, { code: 'exec-bad-output' });
  }
  const said = redact(stderr, envValues(exec)) || reasonOf(error);
  const message = `the credentials plugin ${command} failed: ${said}; run it by hand and see`;
  return new CredentialsError(message, { code: 'exec-failed' });
}

/** Not its message, which quotes the command with its arguments. */
function reasonOf(error: Error & { code?: unknown; signal?: unknown }): string {
  if (typeof error.signal === 'string') return `it was ended by ${error.signal}`;
  return typeof error.code === 'number'
    ? `exit code ${error.code}, and it printed no error`
    : `it could not be started (${String(error.code)})`;
}

/** What the kubeconfig gives to the plugin may be repeated by it. */
function envValues({ env }: ExecSpec): string[] {
  return (env ?? []).map(({ value }) => value).filter((value) => value.length > 5);
}
