import type { Resource, ResourceRegistry } from './resources.ts';

/** What a request wants, in Kubernetes' words. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'other';

/** A request as the path, the query and the method say it. */
export interface RequestInfo {
  verb: Verb;
  /** Undefined for paths that are not about a resource, or about one that the server does not know. */
  resource: Resource | undefined;
  /** Empty for cluster-scoped resources and for all namespaces. */
  namespace: string;
  /** Empty for collections. */
  name: string;
  /** `status`, or empty. */
  subresource: string;
  /** The path is below a group that every server has, whatever the version. */
  isOfKnownApi: boolean;
  path: string;
  query: URLSearchParams;
}

/** `/api/v1/…` or `/apis/GROUP/VERSION/…`; what follows is the resource's own part. */
const RESOURCE_PATH = /^\/(?:api\/(?<core>v[^/]+)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))\/(?<rest>.+)$/;

/** Subresources of a namespace: else `/namespaces/x/status` would look like a resource called status. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Reads what a request is about. */
export function readRequest(registry: ResourceRegistry, method: string, url: string): RequestInfo {
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const query = new URLSearchParams(question === -1 ? '' : url.slice(question + 1));
  const info: RequestInfo = {
    verb: 'other',
    resource: undefined,
    namespace: '',
    name: '',
    subresource: '',
    isOfKnownApi: false,
    path,
    query,
  };
  const groups = RESOURCE_PATH.exec(path)?.groups;
  if (groups === undefined) return info;
  const apiVersion = groups.core ?? `${groups.group}/${groups.version}`;
  info.isOfKnownApi = registry.hasBuiltIn(groups.group ?? '');
  readResource(registry, apiVersion, groups.rest!.split('/').map(decodePart), info);
  if (info.resource !== undefined) info.verb = verbOf(method, info);
  return info;
}

function readResource(
  registry: ResourceRegistry,
  apiVersion: string,
  parts: string[],
  info: RequestInfo,
): void {
  let rest = parts;
  const [first, namespace, third] = parts;
  const isScoped = first === 'namespaces' && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third);
  if (isScoped) {
    info.namespace = namespace!;
    rest = parts.slice(2);
  }
  const resource = registry.at(apiVersion, rest[0]!);
  // A cluster-scoped resource below a namespace, or an object without its namespace, does not exist.
  const isMisplaced = resource !== undefined && !resource.namespaced && isScoped;
  const lacksNamespace = resource?.namespaced === true && !isScoped && rest.length > 1;
  if (resource === undefined || isMisplaced || lacksNamespace || rest.length > 3) return;
  info.resource = resource;
  info.name = rest[1] ?? '';
  info.subresource = rest[2] ?? '';
}

function verbOf(method: string, info: RequestInfo): Verb {
  const named = info.name !== '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (named) return 'get';
      return isTrue(info.query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return named ? 'other' : 'create';
    case 'PUT':
      return named ? 'update' : 'other';
    case 'PATCH':
      return named ? 'patch' : 'other';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return 'other';
  }
}

/** As Go reads a boolean of a query. */
export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
