/** A program as people write it with client-node, but for the import. Arguments: URL of a server, `stop` or `run`. */
import * as k8s from '../../src/compat/index.ts';

const [, , server, mode] = process.argv;
const kubeConfig = new k8s.KubeConfig();
kubeConfig.loadFromClusterAndUser({ name: 'c', server: server!, skipTLSVerify: true }, { name: 'u' });
const api = kubeConfig.makeApiClient(k8s.CoreV1Api);
const listFn = () => api.listConfigMapForAllNamespaces();
const informer = k8s.makeInformer(kubeConfig, '/api/v1/configmaps', listFn);
informer.on('add', (object) => console.log(`add ${object.metadata?.name}`));
informer.on('error', (error) => setTimeout(() => void informer.start(), error.retryInMs ?? 5000));
await informer.start();
console.log('started');
if (mode === 'stop') {
  await informer.stop();
  console.log('stopped');
}
