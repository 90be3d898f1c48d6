import { fieldOf } from './encode.ts';
import { compileLabelSelector } from './label-selector.ts';
import type { Resource } from './resources.ts';
import { badRequest } from './status.ts';
import { parseObject, type StoredObject } from './stored-object.ts';

/** True for the objects that a list or watch is about. */
export type Filter = (object: StoredObject) => boolean;

/** What a request selects by. */
export interface Selection {
  /** Empty for all namespaces. */
  namespace: string;
  labelSelector: string;
  fieldSelector: string;
}

/**
 * Compiles a selection.
 *
 * @returns undefined when it selects everything, so that callers can take a faster way
 * @throws ApiStatusError (400) when a selector can't be parsed
 */
export function compileSelection(resource: Resource, selection: Selection): Filter | undefined {
  const filters: Filter[] = [];
  const { namespace, labelSelector, fieldSelector } = selection;
  if (namespace !== '') filters.push((object) => object.namespace === namespace);
  if (labelSelector !== '') filters.push(compileLabelSelector(labelSelector));
  if (fieldSelector !== '') filters.push(...compileFieldSelector(resource, fieldSelector));
  if (filters.length <= 1) return filters[0];
  return (object) => filters.every((filter) => filter(object));
}

/** Splits at commas that have no backslash before them. */
const TERMS = /(?:[^,\\]|\\.)+/gs;
const TERM = /^(?<path>[^=!]+?)(?<operator>!=|==|=)(?<value>.*)$/s;

function compileFieldSelector(resource: Resource, text: string): Filter[] {
  return (text.match(TERMS) ?? []).map((term) => {
    const groups = TERM.exec(term)?.groups;
    if (groups === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    const value = groups.value!.replace(/\\([\\,=])/g, '$1');
    const wanted = groups.operator !== '!=';
    const read = fieldReader(resource, groups.path!.trim());
    return (object: StoredObject) => (read(object) === value) === wanted;
  });
}

/** Fields that are kept beside the object are read at once; for others it has to be parsed. */
function fieldReader(resource: Resource, path: string): (object: StoredObject) => string {
  if (path === 'metadata.name') return (object) => object.name;
  if (path === 'metadata.namespace') return (object) => object.namespace;
  const quick = resource.quickFields.indexOf(path);
  if (quick !== -1) return (object) => object.quickFields[quick]!;
  return (object) => fieldOf(parseObject(object, resource), path);
}
