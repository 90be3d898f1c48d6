/** Which resources the benchmark server serves, and how their objects and lists look on the wire. */

/** What a contender has to know to list and watch them. */
export interface BenchResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** What the objects are: realistic Pods of 9.5 KB, custom resources of some 3 KB with sorted keys, ConfigMaps of 100 KB. */
export type ObjectKind = 'pod' | 'custom' | 'configmap100k';

export const OBJECT_KINDS: readonly ObjectKind[] = ['pod', 'custom', 'configmap100k'];

/** Average size of an object in bytes, to say beforehand whether there is memory for them. */
export const OBJECT_BYTES: Readonly<Record<ObjectKind, number>> = {
  pod: 9_500,
  custom: 2_700,
  configmap100k: 102_000,
};

/** Group of all custom resources here. */
const GROUP = 'bench.example.com';

/** The resource of a kind of objects; `index` tells custom resources of a scenario with many apart. */
export function resourceOf(kind: ObjectKind, index = 0): BenchResource {
  switch (kind) {
    case 'pod':
      return { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
    case 'configmap100k':
      return { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
    case 'custom': {
      const number = String(index).padStart(2, '0');
      const name = { plural: `widgets${number}`, kind: `Widget${number}` };
      return { group: GROUP, version: 'v1', ...name, namespaced: true };
    }
  }
}

export function apiVersionOf({ group, version }: BenchResource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Path of all objects, in all namespaces. */
export function pathOf(resource: BenchResource): string {
  const root = resource.group === '' ? '/api' : '/apis';
  return `${root}/${apiVersionOf(resource)}/${resource.plural}`;
}
