/** Helpers on lists, as articles about informers use them. */
import { describeValue, isMap, ListWatchError } from './errors.ts';

/**
 * The objects of a list.
 * Source: `ExtractList` in apimachinery's `pkg/api/meta/help.go`.
 *
 * @throws ListWatchError with code 'not-a-list' when there is no array `items`, or the kind is not that of a list
 */
export function extractList<T>(list: { readonly items: readonly T[] }): readonly T[] {
  const value: unknown = list;
  if (!isMap(value) || !Array.isArray(value.items)) {
    throw notAList(`${describeValue(value)} without an array of items`);
  }
  const { kind } = value;
  if (kind !== undefined && kind !== '' && (typeof kind !== 'string' || !kind.endsWith('List'))) {
    throw notAList(typeof kind === 'string' ? describeValue(value) : 'an object whose kind is no text');
  }
  return value.items as readonly T[];
}

/**
 * `metadata.resourceVersion` of a list (or an object): the state of the source that it shows. '' when it has none.
 * Source: `GetResourceVersion` of `ListInterface` in apimachinery's `pkg/apis/meta/v1/meta.go`.
 *
 * @throws ListWatchError with code 'not-a-list' when there is no metadata, or the version is no text
 */
export function resourceVersionOf(list: { readonly metadata?: object }): string {
  const value: unknown = list;
  if (!isMap(value) || !isMap(value.metadata)) throw notAList(`${describeValue(value)} without metadata`);
  const { resourceVersion = '' } = value.metadata;
  if (typeof resourceVersion !== 'string') {
    throw notAList(`${describeValue(value)} whose resourceVersion is ${describeValue(resourceVersion)}`);
  }
  return resourceVersion;
}

function notAList(what: string): ListWatchError {
  return new ListWatchError(`expected a Kubernetes list, not ${what}`, { code: 'not-a-list' });
}
