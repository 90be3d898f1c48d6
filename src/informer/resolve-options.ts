/** Which options an informer gets: those of the call, of its resource, and of the factory; and what it had before. */
import { describeResource, type ResourceRef } from '../reflector/index.ts';
import { UsageError } from './errors.ts';
import type { InformerOptions } from './options.ts';

/** Options that a factory has for its informers. */
export interface InformerDefaults {
  /** For all informers. */
  readonly defaults?: InformerOptions;
  /** By resource, as `kubectl` names it: `pods`, `deployments.apps`. Field by field before `defaults`. */
  readonly byResource?: Readonly<Record<string, InformerOptions>>;
}

/**
 * Takes each option from the first who has it: the call, the resource, the factory.
 * Source: the defaults of controller-runtime's `pkg/cache/cache.go`.
 */
export function resolveOptions(
  resource: ResourceRef,
  given: InformerOptions | undefined,
  { defaults, byResource }: InformerDefaults,
): InformerOptions {
  const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
  const ofResource =
    byResource !== undefined && Object.hasOwn(byResource, name) ? byResource[name] : undefined;
  const resolved: Record<string, unknown> = {};
  for (const options of [defaults, ofResource, given]) {
    for (const [option, value] of Object.entries(options ?? {})) {
      if (value !== undefined) resolved[option] = value;
    }
  }
  // A namespace in the resource is more than a default for several.
  if (resource.namespace !== undefined && given?.namespaces === undefined) delete resolved.namespaces;
  return resolved as InformerOptions;
}

/**
 * What makes two informers different ones.
 *
 * @param cluster - number of the cluster
 */
export function informerId(resource: ResourceRef, options: InformerOptions, cluster: number): string {
  const { group, version, resource: plural, namespace } = resource;
  const { labelSelector, fieldSelector, namespaces, view = '' } = options;
  const places = namespaces === undefined ? namespace : [...namespaces].sort();
  return JSON.stringify([cluster, group, version, plural, places, labelSelector, fieldSelector, view]);
}

/** Options that are part of what an informer is, or that can be added later. */
const COMPARED_ELSEWHERE = new Set([
  'labelSelector',
  'fieldSelector',
  'namespaces',
  'view',
  'kubeConfig',
  'indexers',
]);

/** Whoever does not name these counts on whole objects of the API server. Others are no matter when not asked for. */
const NEVER_IGNORED = new Set(['project', 'transform', 'metadataOnly', 'listerWatcher']);

/**
 * Looks whether an informer serves somebody who asks for these options.
 *
 * @throws UsageError when it does not
 */
export function checkSameOptions(resource: ResourceRef, asked: InformerOptions, had: InformerOptions): void {
  const askedFor = asked as Record<string, unknown>;
  const hadBefore = had as Record<string, unknown>;
  const names = [...new Set([...Object.keys(asked), ...Object.keys(had)])];
  const different = names.filter((name) => {
    const isCompared = NEVER_IGNORED.has(name) || (name in asked && !COMPARED_ELSEWHERE.has(name));
    return isCompared && !isSame(askedFor[name], hadBefore[name]);
  });
  if (different.length === 0) return;
  throw new UsageError(
    `there is an informer of ${describeResource(resource)} with other options (${different.join(', ')}): ask for it ` +
      'without them, or with the same, or name a view of your own with the option view',
  );
}

/** Functions and sources are the same when they are one; paths and numbers when they are equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof URL && b instanceof URL) return a.href === b.href;
  const prototype = Object.getPrototypeOf(a) as unknown;
  if (prototype !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  // An instance that hides what it is, such as a ListWatch, is the same only as itself.
  if (prototype !== Object.prototype && !Array.isArray(a) && keys.length === 0) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return keys.length === Object.keys(b).length && keys.every((key) => isSame(left[key], right[key]));
}
