import type { Collection } from './collection.ts';
import { encodeObject } from './encode.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { Resource } from './resources.ts';
import { alreadyExists, badRequest, conflict, failedPrecondition, failure, notFound } from './status.ts';
import type { Store } from './store.ts';
import { parseObjectExact, type StoredObject, sameContent } from './stored-object.ts';

/** How much of an object a write may change. */
export type WriteScope =
  /** Everything: the server's own methods. */
  | 'all'
  /** Everything but the status, when the resource has a status subresource: a plain write over HTTP. */
  | 'main'
  /** Only the status: a write to `/status`. */
  | 'status';

/** What a write is about. */
export interface WriteTarget {
  store: Store;
  collection: Collection;
  namespace: string;
  /** Empty for a create. */
  name: string;
  scope: WriteScope;
  /** Check and answer, but change nothing. */
  dryRun: boolean;
}

/** Conditions that a delete may have. */
export interface DeleteConditions {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

/** Stores a new object. @throws ApiStatusError 409 when it exists, 400 or 422 when it can't be stored */
export function createObject(target: WriteTarget, input: JsonObject): StoredObject {
  const { store, collection, dryRun } = target;
  const resource = collection.resource;
  const metadata = metadataOf(input);
  const namespace = namespaceFor(target, metadata);
  const name = nameFor(store, resource, metadata);
  if (metadata.resourceVersion) {
    throw failure(500, undefined, 'resourceVersion should not be set on objects to be created');
  }
  const key = namespace === '' ? name : `${namespace}/${name}`;
  if (collection.get(key) !== undefined) throw alreadyExists(resource, name);

  const object: JsonObject = { ...input, kind: resource.kind, apiVersion: resource.apiVersion };
  object.metadata = {
    ...metadata,
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: target.scope === 'all' && metadata.uid ? metadata.uid : store.random.uuid(),
    creationTimestamp:
      target.scope === 'all' && metadata.creationTimestamp ? metadata.creationTimestamp : store.timestamp(),
    ...(resource.custom || object.spec !== undefined ? { generation: 1 } : {}),
  };
  if (target.scope === 'main' && resource.statusSubresource) delete object.status;
  const encoded = encodeObject(resource, object, store.nextResourceVersion);
  return dryRun ? encoded : store.put(collection, encoded);
}

/** Replaces an object. @throws ApiStatusError 404, 409 when the input is based on an older state */
export function replaceObject(target: WriteTarget, input: JsonObject): StoredObject {
  const resource = target.collection.resource;
  const before = existing(target);
  const metadata = metadataOf(input);
  namespaceFor(target, metadata);
  if (metadata.name !== undefined && metadata.name !== target.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${target.name})`,
    );
  }
  checkVersion(target, before, metadata);
  if (!metadata.resourceVersion && resource.custom && target.scope !== 'all') {
    throw invalidUpdate(resource, target.name);
  }
  return commitUpdate(target, before, input);
}

/** Changes an object by a function on its current state. @throws ApiStatusError 404 or 409 */
export function patchObject(target: WriteTarget, patch: (current: JsonObject) => unknown): StoredObject {
  const before = existing(target);
  const patched = patch(parseObjectExact(before, target.collection.resource));
  if (!isJsonObject(patched)) throw badRequest('the patch does not give an object');
  checkVersion(target, before, metadataOf(patched));
  return commitUpdate(target, before, patched);
}

/**
 * Removes an object, or marks it when it has finalizers.
 *
 * @returns its last state, and whether it is gone
 */
export function deleteObject(
  target: WriteTarget,
  conditions: DeleteConditions,
): { object: StoredObject; isGone: boolean } {
  const { store, collection, dryRun } = target;
  const before = existing(target);
  const { uid, resourceVersion } = conditions;
  if (uid !== undefined && uid !== before.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${before.uid}). The object might have been deleted and then recreated`;
    throw failedPrecondition(collection.resource, target.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(before.resourceVersion)) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${before.resourceVersion}). The object might have been modified`;
    throw failedPrecondition(collection.resource, target.name, why);
  }
  const current = parseObjectExact(before, collection.resource);
  const metadata = metadataOf(current);
  if (!hasFinalizers(metadata)) {
    if (!dryRun) store.remove(collection, before);
    return { object: before, isGone: true };
  }
  if (metadata.deletionTimestamp !== undefined || dryRun) return { object: before, isGone: false };
  metadata.deletionTimestamp = store.timestamp();
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation !== undefined) metadata.generation = Number(metadata.generation) + 1;
  const marked = encodeObject(collection.resource, current, store.nextResourceVersion);
  return { object: store.put(collection, marked), isGone: false };
}

function commitUpdate(target: WriteTarget, before: StoredObject, input: JsonObject): StoredObject {
  const { store, collection, dryRun } = target;
  const resource = collection.resource;
  const current = parseObjectExact(before, resource);
  const object = mergeByScope(target, current, input);
  const metadata = metadataOf(object);
  keepServerFields(metadata, metadataOf(current));
  if (metadata.generation !== undefined && specOf(object) !== specOf(current)) {
    metadata.generation = Number(metadata.generation) + 1;
  }
  const encoded = encodeObject(resource, object, store.nextResourceVersion);
  if (sameContent(encoded, before)) return before;
  if (dryRun) return encoded;
  if (metadata.deletionTimestamp === undefined || hasFinalizers(metadata)) {
    return store.put(collection, encoded);
  }
  // The last finalizer of an object that waits to be deleted has gone.
  store.remove(collection, before);
  return encoded;
}

function mergeByScope(target: WriteTarget, current: JsonObject, input: JsonObject): JsonObject {
  const resource = target.collection.resource;
  if (target.scope === 'status') return { ...current, status: input.status };
  const { kind, apiVersion } = current;
  const object: JsonObject = { ...input, kind, apiVersion, metadata: { ...metadataOf(input) } };
  if (target.scope === 'main' && resource.statusSubresource) object.status = current.status;
  return object;
}

/** Fields that clients can't change. */
function keepServerFields(metadata: JsonObject, before: JsonObject): void {
  for (const field of SERVER_FIELDS) {
    if (before[field] === undefined) delete metadata[field];
    else metadata[field] = before[field];
  }
}
const SERVER_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Everything but metadata and status: what `metadata.generation` counts the changes of. */
function specOf(object: JsonObject): string {
  const { metadata: _metadata, status: _status, kind: _kind, apiVersion: _apiVersion, ...spec } = object;
  return JSON.stringify(spec);
}

function existing(target: WriteTarget): StoredObject {
  const { collection, namespace, name } = target;
  const object = collection.get(namespace === '' ? name : `${namespace}/${name}`);
  if (object === undefined) throw notFound(collection.resource, name);
  return object;
}

function checkVersion(target: WriteTarget, before: StoredObject, metadata: JsonObject): void {
  const { uid, resourceVersion } = metadata;
  const { resource } = target.collection;
  if (uid && uid !== before.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.uid}`;
    throw conflict(resource, target.name, why);
  }
  if (resourceVersion && resourceVersion !== String(before.resourceVersion))
    throw conflict(resource, target.name);
}

function namespaceFor(target: WriteTarget, metadata: JsonObject): string {
  if (!target.collection.resource.namespaced) return '';
  const given = metadata.namespace;
  if (given !== undefined && given !== '' && given !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return target.namespace;
}

function nameFor(store: Store, resource: Resource, metadata: JsonObject): string {
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return name;
  if (typeof generateName === 'string' && generateName !== '') return generateName + store.random.suffix();
  const message = 'Required value: name or generateName is required';
  throw failure(422, 'Invalid', `${resource.kind} "" is invalid: metadata.name: ${message}`, {
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.kind,
    causes: [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }],
  });
}

function invalidUpdate(resource: Resource, name: string): Error {
  const message = 'Invalid value: 0: must be specified for an update';
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }];
  return failure(
    422,
    'Invalid',
    `${resource.qualifiedName} "${name}" is invalid: metadata.resourceVersion: ${message}`,
    { name, group: resource.group, kind: resource.resource, causes },
  );
}

function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object.metadata : {};
}

function hasFinalizers(metadata: JsonObject): boolean {
  return Array.isArray(metadata.finalizers) && metadata.finalizers.length > 0;
}
