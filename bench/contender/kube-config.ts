/** How Node contenders reach the server. */
import { KubeConfig } from '@kubernetes/client-node';
import type { ContenderConfig } from '../suite/protocol.ts';

const NAME = 'bench';

/** A kubeconfig as an object, which is valid YAML when it is written as JSON. */
export function kubeConfigObject({ server, caFile, token }: ContenderConfig): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    clusters: [{ name: NAME, cluster: { server, ...trustOf(server, caFile) } }],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
  };
}

export function kubeConfigOf(config: ContenderConfig): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(JSON.stringify(kubeConfigObject(config)));
  return kubeConfig;
}

function trustOf(server: string, caFile: string | undefined): object {
  if (caFile !== undefined) return { 'certificate-authority': caFile };
  // client-node refuses HTTP otherwise.
  return server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}
