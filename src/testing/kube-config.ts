import { createRequire } from 'node:module';
import type { KubeConfig } from '@kubernetes/client-node';
import { TEST_CA_CERT } from './tls-fixture.ts';

/** What a client has to know to reach the server. */
export interface Endpoint {
  url: string;
  /** PEM of the authority to trust; undefined for plain HTTP. */
  ca: string | undefined;
  token: string | undefined;
}

const NAME = 'kubering-fake';

/**
 * A `KubeConfig` of client-node for this server. The package is loaded only here: loading it takes longer
 * than starting the server, and many tests don't need it.
 */
export function kubeConfigFor(endpoint: Endpoint): KubeConfig {
  const client = createRequire(import.meta.url)('@kubernetes/client-node') as {
    KubeConfig: new () => KubeConfig;
  };
  const config = new client.KubeConfig();
  const cluster = {
    name: NAME,
    server: endpoint.url,
    // client-node refuses plain HTTP without this; with TLS the test authority is checked.
    skipTLSVerify: endpoint.ca === undefined,
    ...(endpoint.ca === undefined ? {} : { caData: base64(endpoint.ca) }),
  };
  config.loadFromOptions({
    clusters: [cluster],
    users: [{ name: NAME, ...(endpoint.token === undefined ? {} : { token: endpoint.token }) }],
    contexts: [{ name: NAME, cluster: NAME, user: NAME, namespace: 'default' }],
    currentContext: NAME,
  });
  return config;
}

/** The same as the text of a kubeconfig file. JSON is YAML, so no YAML printer is needed. */
export function kubeConfigYamlFor(endpoint: Endpoint): string {
  const cluster =
    endpoint.ca === undefined
      ? { server: endpoint.url, 'insecure-skip-tls-verify': true }
      : { server: endpoint.url, 'certificate-authority-data': base64(endpoint.ca) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user: endpoint.token === undefined ? {} : { token: endpoint.token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace: 'default' } }],
    'current-context': NAME,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** The authority to trust for these TLS options. */
export function authorityOf(tls: boolean | { cert: string; key: string; ca?: string }): string | undefined {
  if (tls === false) return undefined;
  return tls === true ? TEST_CA_CERT : (tls.ca ?? tls.cert);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
