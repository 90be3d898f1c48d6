import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HandlerContext } from './context.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { listBody, wholePage } from './list.ts';
import { readListOptions } from './list-options.ts';
import { jsonPatch, mergePatch } from './patch.ts';
import type { RequestInfo } from './requests.ts';
import type { Resource } from './resources.ts';
import { parseBody, readBody, sendJson } from './respond.ts';
import {
  ApiStatusError,
  about,
  badRequest,
  failure,
  invalidOption,
  methodNotAllowed,
  type StatusDetails,
} from './status.ts';
import { BARE, objectBytes, type StoredObject, standalone } from './stored-object.ts';
import {
  createObject,
  type DeleteConditions,
  deleteObject,
  patchObject,
  replaceObject,
  type WriteTarget,
} from './writes.ts';

const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** Kinds whose DELETE answers with the object instead of a Status. */
const RETURNS_OBJECT = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
]);

/** Answers POST, PUT, PATCH and DELETE. */
export async function handleWrite(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): Promise<void> {
  const resource = info.resource!;
  const lacksNamespace = resource.namespaced && info.namespace === '' && info.verb !== 'deletecollection';
  if (lacksNamespace) throw methodNotAllowed();
  const body = await readBody(request);
  const target: WriteTarget = {
    store: context.store,
    collection: context.store.collection(resource),
    namespace: info.namespace,
    name: info.name,
    scope: info.subresource === 'status' ? 'status' : 'main',
    dryRun: info.query.get('dryRun') === 'All',
  };
  switch (info.verb) {
    case 'create':
      return sendCreated(response, target, createObject(target, objectOf(body, resource)));
    case 'update':
      return sendObject(response, resource, 200, replaceObject(target, objectOf(body, resource)));
    case 'patch':
      return await handlePatch(request, response, target, body, info);
    case 'delete':
      return sendDeleted(response, target, body);
    case 'deletecollection':
      return deleteCollection(response, target, info);
    default:
      throw methodNotAllowed();
  }
}

async function handlePatch(
  request: IncomingMessage,
  response: ServerResponse,
  target: WriteTarget,
  body: string,
  info: RequestInfo,
): Promise<void> {
  const resource = target.collection.resource;
  const type = String(request.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim();
  if (type === APPLY) {
    if (!info.query.get('fieldManager')) {
      const why = 'Required value: is required for apply patch';
      throw invalidOption('PatchOptions', 'fieldManager', 'FieldValueRequired', why);
    }
    const { object, isNew } = apply(target, await parseYaml(body));
    return sendObject(response, resource, isNew ? 201 : 200, object);
  }
  const patch = parseBody(body);
  checkPatchType(type, resource);
  const change = type === JSON_PATCH ? jsonPatch : mergePatch;
  sendObject(
    response,
    resource,
    200,
    patchObject(target, (current) => change(current, patch)),
  );
}

function checkPatchType(type: string, { custom }: Resource): void {
  const isKnown = type === JSON_PATCH || type === MERGE_PATCH || type === STRATEGIC_PATCH;
  // How lists of a custom resource are merged is not known.
  if (isKnown && !(custom && type === STRATEGIC_PATCH)) return;
  if (!custom) throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const message = `the body of the request was in an unknown format - accepted media types include: ${JSON_PATCH}, ${MERGE_PATCH}, ${APPLY}`;
  throw failure(415, 'UnsupportedMediaType', message);
}

/** Server-side apply, as far as it can be had without field ownership: an upsert by merge. */
function apply(target: WriteTarget, input: unknown): { object: StoredObject; isNew: boolean } {
  if (!isJsonObject(input)) throw badRequest('an apply patch must be an object');
  try {
    return { object: patchObject(target, (current) => mergePatch(current, input)), isNew: false };
  } catch (error) {
    const isMissing = error instanceof ApiStatusError && error.status.code === 404;
    if (!isMissing || target.scope === 'status') throw error;
  }
  const metadata = isJsonObject(input.metadata) ? input.metadata : {};
  const named = { ...input, metadata: { ...metadata, name: target.name } };
  return { object: createObject(target, named), isNew: true };
}

function sendDeleted(response: ServerResponse, target: WriteTarget, body: string): void {
  const resource = target.collection.resource;
  const { object, isGone } = deleteObject(target, conditionsOf(body));
  if (!isGone || RETURNS_OBJECT.has(resource.resource)) {
    sendObject(response, resource, 200, object);
    return;
  }
  const details: StatusDetails = { ...about(resource, target.name), uid: object.uid };
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  sendJson(response, 200, JSON.stringify(status));
}

function deleteCollection(response: ServerResponse, target: WriteTarget, info: RequestInfo): void {
  const { collection } = target;
  const { filter } = readListOptions(info);
  const doomed = collection.sorted().filter((object) => filter === undefined || filter(object));
  for (const { namespace, name } of doomed) deleteObject({ ...target, namespace, name }, {});
  const page = wholePage(doomed, target.store.resourceVersion);
  sendJson(response, 200, listBody(page, collection.resource, BARE));
}

function conditionsOf(body: string): DeleteConditions {
  if (body === '') return {};
  const options = parseBody(body);
  const conditions = isJsonObject(options) ? options.preconditions : undefined;
  if (!isJsonObject(conditions)) return {};
  const { uid, resourceVersion } = conditions;
  return {
    uid: typeof uid === 'string' ? uid : undefined,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : undefined,
  };
}

/** An object that was made for a dry run only has no version. */
function sendCreated(response: ServerResponse, target: WriteTarget, object: StoredObject): void {
  const { resource } = target.collection;
  if (!target.dryRun) {
    sendObject(response, resource, 201, object);
    return;
  }
  const text = objectBytes(object, standalone(resource)).toString();
  sendJson(response, 201, text.replace(`"resourceVersion":"${object.resourceVersion}",`, ''));
}

function sendObject(response: ServerResponse, resource: Resource, code: number, object: StoredObject): void {
  sendJson(response, code, objectBytes(object, standalone(resource)));
}

function objectOf(body: string, resource: Resource): JsonObject {
  const object = parseBody(body);
  if (!isJsonObject(object)) throw badRequest('the body of the request is not an object');
  const { kind } = object;
  if (kind !== undefined && kind !== resource.kind) {
    throw badRequest(`${kind} in version "${resource.version}" cannot be handled as a ${resource.kind}`);
  }
  return object;
}

/** Apply patches are mostly JSON, which is read without loading a YAML parser. */
async function parseYaml(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) return parseBody(text);
  const { loadYaml } = await import('@kubernetes/client-node');
  try {
    return loadYaml(text);
  } catch {
    throw badRequest('the body of the request was not valid YAML');
  }
}
