import { isJsonObject, type JsonObject, printJson, sortKeys, sortKeysDeep } from './json.ts';
import type { Resource } from './resources.ts';
import { bodySlabs, tailSlabs } from './slabs.ts';
import type { StoredObject } from './stored-object.ts';

/** The order in which the real server prints an ObjectMeta. */
const METADATA_ORDER = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Maps inside built-in kinds, whose keys Go sorts; everything else keeps the order of its struct. */
const SORTED_MAPS = new Set(['labels', 'annotations', 'data', 'binaryData', 'stringData']);

/** The pieces of an object's text, as {@link StoredObject} wants them. */
export interface ObjectText {
  /** From the start to where the digits of resourceVersion go. */
  beforeVersion: string;
  /** Where in it the value of `metadata` starts. */
  metadataAt: number;
  /** From behind those digits to the end of `metadata`. */
  restOfMetadata: string;
  /** The rest without the status. */
  restOfBody: string;
  /** From the status to the end. */
  tail: string;
}

/** Facts about an object that are kept beside its bytes. */
export interface ObjectFacts {
  namespace: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  quickFields: readonly string[];
}

/** Prints an object whose metadata is complete, but for resourceVersion, as the real server would. */
export function encodeObject(resource: Resource, object: JsonObject, resourceVersion: number): StoredObject {
  const metadata = object.metadata as JsonObject;
  const facts: ObjectFacts = {
    namespace: resource.namespaced ? String(metadata.namespace ?? '') : '',
    name: String(metadata.name ?? ''),
    uid: String(metadata.uid ?? ''),
    labels: (metadata.labels ?? NO_LABELS) as Record<string, string>,
    quickFields: resource.quickFields.map((path) => fieldOf(object, path)),
  };
  return packObject(printParts(resource, object), facts, resourceVersion, 'utf8');
}
const NO_LABELS = Object.freeze({});

/** Turns text into bytes. `latin1` is several times faster, and only right for ASCII. */
export function packObject(
  text: ObjectText,
  facts: ObjectFacts,
  resourceVersion: number,
  encoding: 'latin1' | 'utf8',
): StoredObject {
  const ascii = encoding === 'latin1';
  const versionAt = ascii ? text.beforeVersion.length : Buffer.byteLength(text.beforeVersion);
  const metadata = ascii ? text.restOfMetadata.length : Buffer.byteLength(text.restOfMetadata);
  const rest = ascii ? text.restOfBody.length : Buffer.byteLength(text.restOfBody);
  const body = bodySlabs.allocate(versionAt + metadata + rest);
  body.write(text.beforeVersion + text.restOfMetadata + text.restOfBody, 0, encoding);
  const tail = tailSlabs.allocate(ascii ? text.tail.length : Buffer.byteLength(text.tail));
  tail.write(text.tail, 0, encoding);
  return {
    key: facts.namespace === '' ? facts.name : `${facts.namespace}/${facts.name}`,
    namespace: facts.namespace,
    name: facts.name,
    uid: facts.uid,
    resourceVersion,
    labels: facts.labels,
    quickFields: facts.quickFields,
    body,
    versionAt,
    metadataAt: text.metadataAt,
    metadataEnd: versionAt + metadata,
    tail,
  };
}

/** The value at a path like `spec.nodeName` as a field selector sees it: text, empty when absent. */
export function fieldOf(object: JsonObject, path: string): string {
  let value: unknown = object;
  for (const part of path.split('.')) {
    if (!isJsonObject(value)) return '';
    value = value[part];
  }
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

function printParts(resource: Resource, object: JsonObject): ObjectText {
  const keys = resource.custom ? Object.keys(object).sort() : typedKeys(object);
  const text: ObjectText = {
    beforeVersion: '{',
    metadataAt: 0,
    restOfMetadata: '',
    restOfBody: '',
    tail: '',
  };
  let sawMetadata = false;
  for (const key of keys) {
    if (object[key] === undefined) continue;
    const label = `${text.beforeVersion === '{' ? '' : ','}${JSON.stringify(key)}:`;
    if (key === 'metadata') {
      sawMetadata = true;
      printMetadata(resource, object[key] as JsonObject, `${text.beforeVersion}${label}`, text);
      continue;
    }
    const field = label + printValue(resource, key, object[key]);
    if (!sawMetadata) text.beforeVersion += field;
    else if (key === 'status' || text.tail !== '') text.tail += field;
    else text.restOfBody += field;
  }
  text.tail += '}';
  return text;
}

/** metadata first and status last, as in all built-in kinds; kind and apiVersion come with the format. */
function typedKeys(object: JsonObject): string[] {
  const others = Object.keys(object).filter((key) => !OUT_OF_ORDER.has(key));
  return ['metadata', ...others, 'status'];
}
const OUT_OF_ORDER = new Set(['kind', 'apiVersion', 'metadata', 'status']);

function printMetadata(resource: Resource, metadata: JsonObject, before: string, text: ObjectText): void {
  const keys = resource.custom ? Object.keys(metadata).concat('resourceVersion').sort() : METADATA_ORDER;
  text.metadataAt = Buffer.byteLength(before);
  let head = '{';
  let rest = '';
  let sawVersion = false;
  for (const key of new Set([...keys, ...Object.keys(metadata)])) {
    const comma = head === '{' ? '' : ',';
    if (key === 'resourceVersion') {
      head += `${comma}"resourceVersion":"`;
      sawVersion = true;
    } else if (metadata[key] !== undefined && metadata[key] !== null) {
      const field = `${comma}${JSON.stringify(key)}:${printValue(resource, key, metadata[key])}`;
      if (sawVersion) rest += field;
      else head += field;
    }
  }
  text.beforeVersion = before + head;
  text.restOfMetadata = `"${rest}}`;
}

function printValue(resource: Resource, key: string, value: unknown): string {
  if (resource.custom) return printJson(sortKeysDeep(value));
  return printJson(SORTED_MAPS.has(key) && isJsonObject(value) ? sortKeys(value) : value);
}
