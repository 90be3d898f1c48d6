import { CredentialsError } from './errors.ts';
import { checkTls } from './tls-material.ts';
import type { ExecSpec } from './user-entry.ts';

/** What a plugin gives: a token, or a client certificate with its key, or both. */
export interface ExecCredential {
  readonly token?: string;
  /** PEM. */
  readonly cert?: string;
  /** PEM. */
  readonly key?: string;
  /** When it ends, in milliseconds since 1970; absent when that is not known. */
  readonly expiresMs?: number;
}

/**
 * Reads what a plugin printed. Source: client-go's `plugin/pkg/client/auth/exec/exec.go`.
 *
 * @throws CredentialsError when it is no ExecCredential; the message repeats nothing of it
 */
export function parseExecCredential(exec: ExecSpec, output: string): ExecCredential {
  const { kind, apiVersion, status } = parseObject(exec, output);
  if (kind !== 'ExecCredential') throw badOutput(exec, 'an object of another kind than ExecCredential');
  if (exec.apiVersion !== undefined && apiVersion !== exec.apiVersion) {
    throw badOutput(exec, `another apiVersion than the ${exec.apiVersion} of its entry`);
  }
  if (typeof status !== 'object' || status === null) throw badOutput(exec, 'no status');
  const credential = readStatus(exec, status as Record<string, unknown>);
  const { token, cert, key } = credential;
  if ((cert === undefined) !== (key === undefined)) throw badOutput(exec, 'a certificate or a key alone');
  if (token === undefined && cert === undefined) throw badOutput(exec, 'neither a token nor a certificate');
  if (cert !== undefined && key !== undefined) {
    checkTls({ cert, key }, `that the credentials plugin ${exec.command} printed`);
  }
  return credential;
}

function readStatus(exec: ExecSpec, status: Record<string, unknown>): ExecCredential {
  const text = (name: string): string | undefined => {
    const value = status[name] ?? undefined;
    if (value !== undefined && typeof value !== 'string') throw badOutput(exec, `a ${name} that is no text`);
    return value === '' ? undefined : value;
  };
  const token = text('token')?.trim();
  const cert = text('clientCertificateData');
  const key = text('clientKeyData');
  const expiry = text('expirationTimestamp');
  const expiresMs = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expiresMs)) throw badOutput(exec, 'an expirationTimestamp that is no time');
  return {
    ...(token && { token }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(expiresMs !== undefined && { expiresMs }),
  };
}

function parseObject(exec: ExecSpec, output: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(output);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // The error quotes the text, and the text is credentials.
  }
  throw badOutput(exec, output.trim() === '' ? 'nothing' : 'something else than a JSON object');
}

function badOutput({ command }: ExecSpec, what: string): CredentialsError {
  const message = `the credentials plugin ${command} printed ${what}; run it by hand and see`;
  return new CredentialsError(message, { code: 'exec-bad-output' });
}
