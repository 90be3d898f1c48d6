import { isJsonObject, type JsonObject } from './json.ts';

/** Lists whose items are told apart by some of their fields; other lists are owned as a whole. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  initContainers: ['name'],
  ownerReferences: ['uid'],
  podIPs: ['ip'],
  ports: ['containerPort', 'protocol'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
};

/** Objects that are owned as a whole. */
const ATOMIC = new Set(['fieldRef', 'labelSelector', 'resourceFieldRef', 'secretKeyRef']);

/** The top of an object has no owner of its own, so no `.` field. */
const SECTIONS = new Set(['metadata', 'spec', 'status']);

/** What `managedFields[*].fieldsV1` says when one manager wrote all of this object. */
export function fieldsOf(object: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const key of Object.keys(object).sort()) {
    const inner = fieldsOfValue(key, object[key]);
    if (SECTIONS.has(key)) delete inner['.'];
    if (inner['.'] !== undefined && key === 'ownerReferences') dropItemFields(inner);
    fields[`f:${key}`] = inner;
  }
  return fields;
}

function fieldsOfValue(key: string, value: unknown): JsonObject {
  if (Array.isArray(value)) return fieldsOfList(key, value);
  if (!isJsonObject(value) || ATOMIC.has(key) || Object.keys(value).length === 0) return {};
  return { '.': {}, ...fieldsOf(value) };
}

function fieldsOfList(key: string, list: readonly unknown[]): JsonObject {
  const keys = LIST_KEYS[key];
  if (keys === undefined) return {};
  const items = list.filter(isJsonObject).map((item) => {
    const identity = Object.fromEntries(keys.map((name) => [name, item[name]]));
    return [`k:${JSON.stringify(identity)}`, { '.': {}, ...fieldsOf(item) }] as const;
  });
  items.sort(([a], [b]) => (a < b ? -1 : 1));
  // The real server leaves the list itself out for containers, and says `.` for all other lists.
  const isWhole = key === 'containers' || key === 'initContainers';
  return { ...(isWhole ? {} : { '.': {} }), ...Object.fromEntries(items) };
}

/** Owner references are owned each as a whole. */
function dropItemFields(inner: JsonObject): void {
  for (const key of Object.keys(inner)) inner[key] = {};
}
