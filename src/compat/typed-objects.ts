/** Turns plain JSON into what client-node's `list…` methods give: instances of its classes, with Dates. */

import type { KubernetesObject } from '@kubernetes/client-node';
import * as clientNode from '@kubernetes/client-node';
import { classNameOf, groupVersion } from '../types/index.ts';

/** One field of a model class: its name in JavaScript, on the wire, and the type, for example `Array<V1Container>`. */
interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  new (): Record<string, unknown>;
  getAttributeTypeMap(): readonly Attribute[];
}

const exported = clientNode as unknown as Readonly<Record<string, Partial<Model> | undefined>>;

const ARRAY = 'Array<';
const MAP = '{ [key: string]: ';
const MAP_END = '; }';

/**
 * A copy of an object as client-node's generated clients give it, except that it has kind and apiVersion. Objects of
 * kinds that client-node has no class for, such as custom resources, get typed metadata.
 */
export function typedObject<T extends KubernetesObject>(object: T): T {
  const { apiVersion = '', kind = '' } = object;
  const model = modelNamed(classNameOf({ ...groupVersion(apiVersion), kind }));
  if (model !== undefined) return instanceOf(model, object as Record<string, unknown>) as T;
  return { ...object, metadata: typedValue(object.metadata, 'V1ObjectMeta') as T['metadata'] };
}

function instanceOf(model: Model, json: Readonly<Record<string, unknown>>): object {
  const instance = new model();
  for (const { name, baseName, type } of model.getAttributeTypeMap()) {
    const value = typedValue(json[baseName], type);
    if (value !== undefined) instance[name] = value;
  }
  return instance;
}

function typedValue(value: unknown, type: string): unknown {
  if (value === undefined || value === null) return value;
  if (type === 'Date') return new Date(value as string);
  if (type.startsWith(ARRAY) && Array.isArray(value)) {
    const itemType = type.slice(ARRAY.length, -1);
    return value.map((item) => typedValue(item, itemType));
  }
  if (type.startsWith(MAP)) {
    const valueType = type.slice(MAP.length, -MAP_END.length);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typedValue(each, valueType)]));
  }
  const model = modelNamed(type);
  return model === undefined ? value : instanceOf(model, value as Record<string, unknown>);
}

function modelNamed(name: string): Model | undefined {
  const found = Object.hasOwn(exported, name) ? exported[name] : undefined;
  return typeof found?.getAttributeTypeMap === 'function' ? (found as Model) : undefined;
}
