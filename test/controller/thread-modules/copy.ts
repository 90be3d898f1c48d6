/** Reads the caches in its thread, and writes a ConfigMap that says what it read. */

import { threadId } from 'node:worker_threads';
import { KubeConfig } from '@kubernetes/client-node';
import { ApiClient, type ReconcileFunction } from '../../../src/index.ts';

interface ConfigMap {
  metadata: { name: string; namespace: string };
  data?: Record<string, string>;
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(process.env.KUBERING_TEST_CONFIG!);
const client = new ApiClient(kubeConfig);

export const reconcile: ReconcileFunction<ConfigMap> = async ({ key, namespace }, context) => {
  const source = context.lister.get(key);
  if (source === undefined || namespace !== 'from') return;
  const { name } = source.metadata;
  const data = {
    value: source.data?.value ?? '',
    nodes: context.listers.nodes!.keys().sort().join(' '),
    thread: String(threadId),
  };
  const api = context.track(client);
  const copy = context.lister.get(`to/${name}`);
  if (copy === undefined) await api.create(CONFIG_MAPS, { metadata: { name, namespace: 'to' }, data });
  else if (copy.data?.value !== data.value) await api.patch(CONFIG_MAPS, { name, namespace: 'to' }, { data });
};
