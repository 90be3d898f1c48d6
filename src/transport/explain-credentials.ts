import type { KubeConfig } from '@kubernetes/client-node';
import { CredentialsError, codeOfError, redact, safeCause } from './errors.ts';
import { knownSecrets } from './user-entry.ts';

/**
 * Makes an error of a KubeConfig, a plugin or a file one that says what to do, for which entries of the kubeconfig, and
 * nothing of what they hold.
 *
 * @param names - of cluster and user
 */
export function explainCredentials(error: unknown, kubeConfig: KubeConfig, names: string): CredentialsError {
  const { message, code, cause } = explain(error, kubeConfig);
  return new CredentialsError(`${message} (${names})`, { code, cause });
}

interface Explanation {
  readonly message: string;
  readonly code: string;
  readonly cause?: unknown;
}

function explain(error: unknown, kubeConfig: KubeConfig): Explanation {
  if (error instanceof CredentialsError) return error;
  const secrets = knownSecrets(kubeConfig);
  const cause = safeCause(error, (text) => redact(text, secrets));
  if (cause.message.startsWith('HTTP protocol is not allowed')) {
    const message =
      'the server URL is http, which sends credentials in the clear; use https, or set insecure-skip-tls-verify: true of the cluster to allow it';
    return { message, code: 'insecure-server', cause };
  }
  if (isOfFile(error)) {
    const message = `a file that the kubeconfig names can't be read: ${cause.message}; correct its path, or its rights`;
    return { message, code: 'file-unreadable', cause };
  }
  const said = error instanceof SyntaxError ? 'something is no JSON' : cause.message;
  const message = `the credentials of the kubeconfig can't be used: ${said}; see its user entry`;
  // The message of a SyntaxError quotes the text, and the text may be credentials.
  return { message, code: 'credentials-failed', ...(!(error instanceof SyntaxError) && { cause }) };
}

function isOfFile(error: unknown): boolean {
  return ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM', 'ELOOP'].includes(codeOfError(error));
}
