import type { ResourceRef } from './types.ts';

/** Which objects are meant, besides the resource. */
export interface Selectors {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** One page of a list. A value that is '' or 0 is not sent. */
export interface PageQuery {
  readonly resourceVersion: string;
  readonly limit: number;
  readonly continue: string;
}

/** A resource that can't be put in a URL. */
export class InvalidResourceError extends Error {
  readonly code = 'invalid-resource';

  constructor(field: string, value: string) {
    super(
      `${field} is ${JSON.stringify(value)}, which is no name of the Kubernetes API; give it as in URLs, for example 'pods'`,
    );
    this.name = 'InvalidResourceError';
  }
}

/** Path of a resource: core group under /api, every other group under /apis. */
export function resourcePath(resource: ResourceRef): string {
  const version = segment('version', resource.version);
  const root =
    resource.group === '' ? `/api/${version}` : `/apis/${segment('group', resource.group)}/${version}`;
  const namespace =
    resource.namespace === undefined ? '' : `/namespaces/${segment('namespace', resource.namespace)}`;
  return `${root}${namespace}/${segment('resource', resource.resource)}`;
}

export function listPath(resource: ResourceRef, selectors: Selectors, page: PageQuery): string {
  return withQuery(resourcePath(resource), [
    ['labelSelector', selectors.labelSelector ?? ''],
    ['fieldSelector', selectors.fieldSelector ?? ''],
    ['limit', page.limit > 0 ? String(page.limit) : ''],
    ['continue', page.continue],
    ['resourceVersion', page.resourceVersion],
  ]);
}

export function watchPath(
  resource: ResourceRef,
  selectors: Selectors,
  resourceVersion: string,
  timeoutSeconds: number,
): string {
  return withQuery(resourcePath(resource), [
    ['watch', '1'],
    ['labelSelector', selectors.labelSelector ?? ''],
    ['fieldSelector', selectors.fieldSelector ?? ''],
    ['resourceVersion', resourceVersion],
    ['allowWatchBookmarks', 'true'],
    ['timeoutSeconds', String(timeoutSeconds)],
  ]);
}

/** A watch that begins with all objects. No resourceVersion means the latest state. */
export function initialStreamPath(
  resource: ResourceRef,
  selectors: Selectors,
  resourceVersion: string,
  timeoutSeconds: number,
): string {
  const parameters = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  return watchPath(resource, selectors, resourceVersion, timeoutSeconds) + parameters;
}

/** For people: `pods`, `deployments.apps in namespace web`. */
export function describeResource(resource: ResourceRef): string {
  const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
  return resource.namespace === undefined ? name : `${name} in namespace ${resource.namespace}`;
}

function segment(field: string, value: string): string {
  // '..' would survive encoding and be resolved by whatever stands between us and the server.
  if (value === '' || value === '.' || value === '..') throw new InvalidResourceError(field, value);
  return encodeURIComponent(value);
}

function withQuery(path: string, parameters: readonly (readonly [string, string])[]): string {
  const query = parameters
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
