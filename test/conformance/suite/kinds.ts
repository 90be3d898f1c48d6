import type { ResourceRef } from '../../../src/index.ts';
import type { Json } from '../harness/connection.ts';
import { WIDGETS } from './server-under-test.ts';

/** A kind that the suite follows: the smallest valid object of it, and something that can be changed. */
export interface Kind {
  readonly resource: ResourceRef;
  readonly make: (name: string) => Json;
  readonly patch: Json;
}

const LABEL = { metadata: { labels: { changed: 'yes' } } };
const POD_SPEC = { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] };
const APP = { app: 'web' };

/** In a namespace: each test has its own. */
export const NAMESPACED: readonly Kind[] = [
  {
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    make: (name) => ({ metadata: { name }, data: { text: 'größer 😀 \u2028 "quoted" \\ </script>' } }),
    patch: { data: { more: 'text' } },
  },
  {
    resource: { group: '', version: 'v1', resource: 'pods' },
    make: (name) => ({ metadata: { name, labels: APP }, spec: POD_SPEC }),
    patch: LABEL,
  },
  {
    resource: { group: '', version: 'v1', resource: 'services' },
    make: (name) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } }),
    patch: LABEL,
  },
  {
    resource: { group: '', version: 'v1', resource: 'secrets' },
    make: (name) => ({ metadata: { name }, data: { text: Buffer.from('hidden').toString('base64') } }),
    patch: LABEL,
  },
  {
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    make: (name) => ({
      metadata: { name },
      spec: { selector: { matchLabels: APP }, template: { metadata: { labels: APP }, spec: POD_SPEC } },
    }),
    patch: { spec: { replicas: 3 } },
  },
  {
    resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
    make: (name) => ({ metadata: { name }, spec: { holderIdentity: 'nobody' } }),
    patch: { spec: { holderIdentity: 'somebody' } },
  },
  {
    resource: WIDGETS,
    make: (name) => ({
      apiVersion: `${WIDGETS.group}/${WIDGETS.version}`,
      kind: WIDGETS.kind,
      metadata: { name },
      spec: {
        zebra: 1,
        apple: { kind: 'Decoy', metadata: { name: 'decoy' } },
        items: [{ uid: 'decoy' }, null],
      },
    }),
    patch: { spec: { zebra: 2 } },
  },
];

/** Without a namespace. */
export const CLUSTER_SCOPED: readonly Kind[] = [
  {
    resource: { group: '', version: 'v1', resource: 'nodes' },
    make: (name) => ({ metadata: { name }, spec: { podCIDR: '10.1.0.0/24' } }),
    patch: LABEL,
  },
  {
    resource: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
    make: (name) => ({
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    }),
    patch: LABEL,
  },
];

export function kindNamed(resource: string): Kind {
  return [...NAMESPACED, ...CLUSTER_SCOPED].find((kind) => kind.resource.resource === resource)!;
}
