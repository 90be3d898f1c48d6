import { KubeConfig } from '@kubernetes/client-node';

/** A KubeConfig for a URL, without credentials. */
export function kubeConfigOf(server: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: 'test', server, skipTLSVerify: true }, { name: 'nobody' });
  return kubeConfig;
}
