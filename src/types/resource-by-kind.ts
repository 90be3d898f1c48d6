/** Finds the resource of a kind by asking the API server, as kubectl does. */
import type { KubeConfig } from '@kubernetes/client-node';
import { type DiscoveredResource, discover } from './discovery.ts';
import { UnknownKindError } from './errors.ts';
import { groupVersion } from './resources.ts';
import { customResource, type TypedResource } from './typed-resource.ts';

/** What a manifest says of itself. */
export interface KindName {
  /** 'v1' or 'apps/v1'. */
  readonly apiVersion: string;
  /** 'Pod'. */
  readonly kind: string;
}

/** All fields are optional. */
export interface DiscoveryOptions {
  /** Ends the question. @default after 30 s */
  readonly signal?: AbortSignal;
}

/** Verbs that an informer needs. */
const NEEDED_VERBS = ['list', 'watch'];

/** A message names so many kinds at most. */
const MAX_NAMED_KINDS = 20;

/**
 * The resource of a kind, found through the server's discovery: `GET /api/v1` or `GET /apis/{group}/{version}`.
 * Asks each time, because custom resources come and go.
 * Source: `RESTMapper` in apimachinery's `pkg/api/meta`.
 *
 * ```ts
 * const widgets = await resourceByKind<Widget>(kubeConfig, { apiVersion: 'example.com/v1', kind: 'Widget' });
 * ```
 *
 * @throws TypeError when kind or apiVersion is no text, or apiVersion has more than one slash
 * @throws UnknownKindError when the server has no such kind, or it can't be listed and watched
 * @throws DiscoveryError when the server can't be asked
 */
export async function resourceByKind<T = object>(
  kubeConfig: KubeConfig,
  { apiVersion, kind }: KindName,
  options: DiscoveryOptions = {},
): Promise<TypedResource<T>> {
  checkName(apiVersion, kind);
  const known = await discover(kubeConfig, apiVersion, options.signal);
  if (known === undefined) {
    throw new UnknownKindError(
      `the API server does not have ${apiVersion}, so it has no kind ${kind} of it; check apiVersion, ` +
        'and that the custom resource definition is installed and served in this version',
    );
  }
  // Names with a slash are subresources, such as pods/status.
  const found = known.find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (found === undefined) throw unknownKind(apiVersion, kind, known);
  const missing = NEEDED_VERBS.filter((verb) => !found.verbs.includes(verb));
  if (missing.length > 0) {
    throw new UnknownKindError(
      `${kind} of ${apiVersion} can't be kept in an informer: the API server does not offer to ${missing.join(' or ')} it`,
    );
  }
  const { name: resource, namespaced } = found;
  return customResource<T>({ ...groupVersion(apiVersion), resource, kind, namespaced });
}

function checkName(apiVersion: unknown, kind: unknown): void {
  const isText = typeof apiVersion === 'string' && typeof kind === 'string';
  if (!isText || apiVersion === '' || kind === '' || apiVersion.split('/').length > 2) {
    throw new TypeError(
      `a kind is named as in manifests, { apiVersion: 'apps/v1', kind: 'Deployment' }, not by apiVersion ${String(apiVersion)} and kind ${String(kind)}`,
    );
  }
}

function unknownKind(
  apiVersion: string,
  kind: string,
  known: readonly DiscoveredResource[],
): UnknownKindError {
  const kinds = [
    ...new Set(known.filter(({ name }) => !name.includes('/')).map((resource) => resource.kind)),
  ];
  const named = kinds.slice(0, MAX_NAMED_KINDS).join(', ');
  const more = kinds.length > MAX_NAMED_KINDS ? ` and ${kinds.length - MAX_NAMED_KINDS} more` : '';
  return new UnknownKindError(
    `the API server has no kind ${kind} in ${apiVersion}, but ${named || 'nothing'}${more}; ` +
      'give the kind as in manifests: singular, in capitals',
  );
}
