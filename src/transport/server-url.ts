import type { Cluster } from '@kubernetes/client-node';
import { CredentialsError, redact } from './errors.ts';

/**
 * URL of the API server with its path prefix, without a slash at its end and without what else a URL may have.
 *
 * @throws CredentialsError when it is none of http or https
 */
export function checkedServer({ name, server }: Cluster): string {
  const url = URL.canParse(server ?? '') ? new URL(server) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    const message = `the server of cluster ${name} is no http or https URL: ${JSON.stringify(redact(String(server)))}`;
    throw new CredentialsError(`${message}; correct it in the kubeconfig`, { code: 'bad-server-url' });
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
