/** What a path of client-node's `makeInformer` watches. */
import type { ResourceRef } from '../reflector/index.ts';

export interface WatchedPath {
  readonly resource: ResourceRef;
  /** For a path of one object. */
  readonly name?: string;
}

const PATH =
  /^\/(?:api\/(?<coreVersion>v[^/?#]+)|apis\/(?<group>[^/?#]+)\/(?<version>[^/?#]+))\/(?<rest>[^?#]+)$/;

/** Whatever needs no escaping in a URL: names of RBAC have colons. */
const SEGMENT = /^[\w.:-]+$/;

/** Parts of a Namespace that have URLs, where namespaced resources have theirs. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * The resource of a path such as `/api/v1/pods`, `/apis/apps/v1/namespaces/web/deployments`,
 * `/api/v1/namespaces/web/pods/web-0`. Undefined for every other path: those with a query, of subresources, of the old
 * `/api/v1/watch/…`.
 */
export function parseWatchPath(path: string): WatchedPath | undefined {
  const groups = PATH.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const { coreVersion, group = '', version = coreVersion!, rest } = groups;
  const segments = rest!.split('/');
  if (!segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..'))
    return undefined;
  const [first, second, third, fourth] = segments as [string, ...string[]];
  if (first === 'watch' || first === 'proxy') return undefined;
  if (first === 'namespaces' && second !== undefined && (third !== undefined || group !== '')) {
    if (third === undefined || segments.length > 4 || NAMESPACE_SUBRESOURCES.has(third)) return undefined;
    return named({ group, version, resource: third, namespace: second }, fourth);
  }
  if (segments.length > 2) return undefined;
  return named({ group, version, resource: first }, second);
}

function named(resource: ResourceRef, name: string | undefined): WatchedPath {
  return name === undefined ? { resource } : { resource, name };
}
