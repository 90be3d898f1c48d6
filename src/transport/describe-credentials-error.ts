import type { KubeConfig } from '@kubernetes/client-node';
import { CredentialsError, codeOfError, safeCause } from './errors.ts';

/** Makes an error of a KubeConfig, a plugin or a file one that says what to do, without what it was about. */
export function explainCredentials(error: unknown, kubeConfig: KubeConfig): CredentialsError {
  if (error instanceof CredentialsError) return error;
  const cause = safeCause(error);
  const code = codeOfError(error);
  const command = execCommand(kubeConfig);

  if (cause.message.startsWith('HTTP protocol is not allowed')) {
    const message =
      'the server URL is http, which sends credentials in the clear; use https, or set insecure-skip-tls-verify: true of the cluster to allow it';
    return new CredentialsError(message, { code: 'insecure-server', cause });
  }
  if (error instanceof SyntaxError && command !== undefined) {
    // The message of a SyntaxError quotes the text, and the text is credentials.
    const message = `the credentials plugin ${command} did not print JSON; run it by hand and see`;
    return new CredentialsError(message, { code: 'exec-failed' });
  }
  if (code === 'ENOENT' && command !== undefined && cause.message.startsWith('spawn')) {
    const message = `the credentials plugin ${command} was not found; install it, or correct its path in the kubeconfig`;
    return new CredentialsError(message, { code: 'exec-failed', cause });
  }
  if (command !== undefined && code === '') {
    const message = `the credentials plugin ${command} failed: ${cause.message || 'it printed no error'}; run it by hand and see`;
    return new CredentialsError(message, { code: 'exec-failed', cause });
  }
  if (code === 'ENOENT' || code === 'EACCES') {
    const message = `a file that the kubeconfig names can't be read: ${cause.message}`;
    return new CredentialsError(message, { code: 'file-unreadable', cause });
  }
  return new CredentialsError(`the credentials of the kubeconfig can't be used: ${cause.message}`, {
    code: 'credentials-failed',
    cause,
  });
}

function execCommand(kubeConfig: KubeConfig): string | undefined {
  const user = kubeConfig.getCurrentUser();
  const exec = user?.exec ?? user?.authProvider?.config?.exec;
  return typeof exec?.command === 'string' ? exec.command : undefined;
}
