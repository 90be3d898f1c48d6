/** Says which resources the server knows, and how their objects look on the wire. */
export interface ResourceDefinition {
  /** Empty for the core group. */
  group: string;
  version: string;
  /** Plural, as in paths: `pods`. */
  resource: string;
  kind: string;
  namespaced: boolean;
  /** Status is written through `/status` only, as for Pods. Default false. */
  statusSubresource?: boolean;
}

/** Names a resource: its plural (`pods`), plural and group (`widgets.example.com`), or all three parts. */
export type ResourceName = string | { group: string; version: string; resource: string };

/** Thrown when a method names a resource that was not registered. */
export class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError';
  readonly code = 'ERR_UNKNOWN_RESOURCE';
}

/** Values of these fields are kept beside each object, so that selecting by them parses nothing. */
const QUICK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec.nodeName', 'status.phase'],
};

/** What the real server prints for a kind's empty spec and status: Go writes structs even when they are empty. */
const EMPTY_REST: Readonly<Record<string, string>> = {
  pods: ',"spec":{"containers":null},"status":{}',
  nodes:
    ',"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}',
  services: ',"spec":{},"status":{"loadBalancer":{}}',
  namespaces: ',"spec":{},"status":{}',
  leases: ',"spec":{}',
};

/** A registered resource with everything derived from its definition. */
export class Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly statusSubresource: boolean;
  /** Custom resources are printed with all keys sorted and with kind and apiVersion in lists. */
  readonly custom: boolean;
  readonly apiVersion: string;
  readonly listKind: string;
  /** `pods` or `deployments.apps`, as in messages. */
  readonly qualifiedName: string;
  /** Path of the collection over all namespaces. */
  readonly path: string;
  readonly quickFields: readonly string[];
  /** What a bookmark of this kind has besides metadata. */
  readonly emptyRest: string;

  constructor(definition: ResourceDefinition, custom: boolean) {
    this.group = definition.group;
    this.version = definition.version;
    this.resource = definition.resource;
    this.kind = definition.kind;
    this.namespaced = definition.namespaced;
    this.statusSubresource = definition.statusSubresource ?? false;
    this.custom = custom;
    this.apiVersion = this.group === '' ? this.version : `${this.group}/${this.version}`;
    this.listKind = `${this.kind}List`;
    this.qualifiedName = this.group === '' ? this.resource : `${this.resource}.${this.group}`;
    this.path = `${this.group === '' ? '/api' : '/apis'}/${this.apiVersion}/${this.resource}`;
    this.quickFields = custom ? [] : (QUICK_FIELDS[this.resource] ?? []);
    this.emptyRest = custom ? '' : (EMPTY_REST[this.resource] ?? '');
  }
}

/** All resources of a server, found by path or by name. */
export class ResourceRegistry {
  readonly #byPath = new Map<string, Resource>();

  constructor(custom: readonly ResourceDefinition[]) {
    for (const definition of BUILT_IN) this.#add(new Resource(definition, false));
    for (const definition of custom) this.#add(new Resource(definition, true));
  }

  /** @param apiVersion - `v1` or `apps/v1` */
  at(apiVersion: string, resource: string): Resource | undefined {
    return this.#byPath.get(`${apiVersion}/${resource}`);
  }

  all(): Resource[] {
    return [...this.#byPath.values()];
  }

  /** Whether there are resources of this group, in any version, that every server has. */
  hasBuiltIn(group: string): boolean {
    return this.all().some((resource) => !resource.custom && resource.group === group);
  }

  /** @throws {@link UnknownResourceError} when no registered resource has this name */
  named(name: ResourceName): Resource {
    const found = typeof name === 'string' ? this.#namedByText(name) : this.#namedByParts(name);
    if (found !== undefined) return found;
    const text = typeof name === 'string' ? name : `${name.group}/${name.version}/${name.resource}`;
    throw new UnknownResourceError(
      `the fake API server has no resource "${text}"; register it with the option "resources"`,
    );
  }

  #namedByText(name: string): Resource | undefined {
    for (const resource of this.#byPath.values()) {
      if (resource.resource === name || resource.qualifiedName === name) return resource;
    }
    return undefined;
  }

  #namedByParts(name: { group: string; version: string; resource: string }): Resource | undefined {
    const apiVersion = name.group === '' ? name.version : `${name.group}/${name.version}`;
    return this.at(apiVersion, name.resource);
  }

  #add(resource: Resource): void {
    this.#byPath.set(`${resource.apiVersion}/${resource.resource}`, resource);
  }
}

const WITH_STATUS = true;
const WITHOUT_STATUS = false;

/** Resources that every server has. Short form: group/version, then plural, kind, namespaced, status. */
const BUILT_IN: readonly ResourceDefinition[] = [
  define('/v1', 'pods', 'Pod', true, WITH_STATUS),
  define('/v1', 'nodes', 'Node', false, WITH_STATUS),
  define('/v1', 'namespaces', 'Namespace', false, WITH_STATUS),
  define('/v1', 'configmaps', 'ConfigMap', true, WITHOUT_STATUS),
  define('/v1', 'secrets', 'Secret', true, WITHOUT_STATUS),
  define('/v1', 'services', 'Service', true, WITH_STATUS),
  define('/v1', 'serviceaccounts', 'ServiceAccount', true, WITHOUT_STATUS),
  define('/v1', 'endpoints', 'Endpoints', true, WITHOUT_STATUS),
  define('/v1', 'events', 'Event', true, WITHOUT_STATUS),
  define('/v1', 'persistentvolumes', 'PersistentVolume', false, WITH_STATUS),
  define('/v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true, WITH_STATUS),
  define('/v1', 'resourcequotas', 'ResourceQuota', true, WITH_STATUS),
  define('apps/v1', 'deployments', 'Deployment', true, WITH_STATUS),
  define('apps/v1', 'replicasets', 'ReplicaSet', true, WITH_STATUS),
  define('apps/v1', 'statefulsets', 'StatefulSet', true, WITH_STATUS),
  define('apps/v1', 'daemonsets', 'DaemonSet', true, WITH_STATUS),
  define('batch/v1', 'jobs', 'Job', true, WITH_STATUS),
  define('batch/v1', 'cronjobs', 'CronJob', true, WITH_STATUS),
  define('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true, WITH_STATUS),
  define('coordination.k8s.io/v1', 'leases', 'Lease', true, WITHOUT_STATUS),
  define('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', true, WITHOUT_STATUS),
  define('events.k8s.io/v1', 'events', 'Event', true, WITHOUT_STATUS),
  define('networking.k8s.io/v1', 'ingresses', 'Ingress', true, WITH_STATUS),
  define('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', true, WITHOUT_STATUS),
  define('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true, WITH_STATUS),
  define('rbac.authorization.k8s.io/v1', 'roles', 'Role', true, WITHOUT_STATUS),
  define('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding', true, WITHOUT_STATUS),
  define('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', false, WITHOUT_STATUS),
  define('rbac.authorization.k8s.io/v1', 'clusterrolebindings', 'ClusterRoleBinding', false, WITHOUT_STATUS),
  define('storage.k8s.io/v1', 'storageclasses', 'StorageClass', false, WITHOUT_STATUS),
  define(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
    false,
    WITH_STATUS,
  ),
];

function define(
  groupVersion: string,
  resource: string,
  kind: string,
  namespaced: boolean,
  statusSubresource: boolean,
): ResourceDefinition {
  const slash = groupVersion.indexOf('/');
  const group = groupVersion.slice(0, slash);
  return { group, version: groupVersion.slice(slash + 1), resource, kind, namespaced, statusSubresource };
}
