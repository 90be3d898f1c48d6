import type { Resource, ResourceRegistry } from './resources.ts';

const VERSION = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: 'v1.37.0-kubering',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-08-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'any',
};

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS_VERBS = ['get', 'patch', 'update'];

/** What a path that is not about objects answers with, or undefined when there is nothing. */
export function discover(registry: ResourceRegistry, path: string): object | string | undefined {
  switch (path) {
    case '/readyz':
    case '/livez':
    case '/healthz':
      return 'ok';
    case '/version':
      return VERSION;
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry) };
  }
  const groupVersion = /^\/(?:api|apis)\/(.+)$/.exec(path)?.[1];
  const resources = registry.all().filter((resource) => resource.apiVersion === groupVersion);
  if (groupVersion === undefined || resources.length === 0) return undefined;
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion };
  return { ...list, resources: resources.flatMap(describeResource) };
}

function groupsOf(registry: ResourceRegistry): object[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of registry.all()) {
    if (group === '') continue;
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return [...versions].map(([name, those]) => {
    const all = [...those].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: all, preferredVersion: all[0] };
  });
}

function describeResource(resource: Resource): object[] {
  const { namespaced, kind } = resource;
  const singularName = kind.toLowerCase();
  const main = { name: resource.resource, singularName, namespaced, kind, verbs: VERBS };
  if (!resource.statusSubresource) return [main];
  const status = { name: `${resource.resource}/status`, singularName: '', namespaced, kind };
  return [main, { ...status, verbs: STATUS_VERBS }];
}
