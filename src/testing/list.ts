import type { BodyStream } from './body-stream.ts';
import type { Collection } from './collection.ts';
import type { RequestFaults } from './faults.ts';
import { strike } from './item-faults.ts';
import { type ContinueToken, type ListOptions, readToken, writeToken } from './list-options.ts';
import type { Resource } from './resources.ts';
import { expired, resourceVersionTooLarge } from './status.ts';
import { type ObjectFormat, objectBytes, putObject, type StoredObject, sizeOf } from './stored-object.ts';
import { type Lease, writeBuffers } from './write-buffers.ts';

/** Written at once: large enough that a system call costs nothing, small enough to be soon in the cache. */
const CHUNK_BYTES = 256 * 1024;

/** A client as fast as this server would else keep its event loop for the whole list. */
const CHUNKS_PER_TURN = 8;

/** What a list answers with: objects `begin` to `end` of an array, and what its metadata says. */
export interface ListPage {
  readonly objects: readonly StoredObject[];
  readonly begin: number;
  readonly end: number;
  readonly resourceVersion: number;
  readonly continueToken: string;
  /** Undefined when it is not known or nothing remains. */
  readonly remaining: number | undefined;
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * Finds what a list should answer with.
 *
 * @throws ApiStatusError 410 when the state asked for is forgotten, 504 when it is in the future
 */
export function selectPage(
  collection: Collection,
  options: ListOptions,
  current: number,
  pageAtZero: boolean,
): ListPage {
  const token = options.continueToken === '' ? undefined : readToken(options.continueToken);
  const { objects, resourceVersion } = resolveState(collection, options, token, current);
  const limit = options.resourceVersion === 0 && !pageAtZero ? 0 : options.limit;
  const scope = options.namespace === '' ? WHOLE : namespaceRange(objects, options.namespace);
  const begin =
    token === undefined ? scope.begin : Math.max(scope.begin, firstAfter(objects, token.afterKey));
  const end = Math.min(scope.end, objects.length);

  const page = options.hasSelectors
    ? filterPage(objects, begin, end, limit, options)
    : { objects, begin, end: limit === 0 ? end : Math.min(end, begin + limit), next: 0 };
  const stoppedAt = options.hasSelectors ? page.next : page.end;
  const isLast = stoppedAt >= end;
  if (!isLast) collection.keepSnapshot(resourceVersion, objects);
  return {
    objects: page.objects,
    begin: page.begin,
    end: page.end,
    resourceVersion,
    continueToken: isLast ? '' : writeToken({ resourceVersion, afterKey: objects[stoppedAt - 1]!.key }),
    remaining: isLast || options.hasSelectors ? undefined : end - stoppedAt,
  };
}

const WHOLE = { begin: 0, end: Number.POSITIVE_INFINITY };

/** Writes the body of a list, item by item into chunks, waiting while the client can't take more. */
export async function writeList(
  stream: BodyStream,
  page: ListPage,
  resource: Resource,
  how: ObjectFormat,
  faults: RequestFaults | undefined,
): Promise<void> {
  const [head, tail] = listFrame(page, resource, how);
  stream.write(Buffer.from(head));
  await (faults === undefined ? writeItems(stream, page, how) : writeFaultyItems(stream, page, how, faults));
  stream.write(Buffer.from(tail));
  stream.end();
}

/** How many bytes the body will have. Only worth asking for short lists. */
export function listBytes(page: ListPage, resource: Resource, how: ObjectFormat): number {
  const [head, tail] = listFrame(page, resource, how);
  let bytes = Buffer.byteLength(head) + Buffer.byteLength(tail) + Math.max(0, page.end - page.begin - 1);
  for (let i = page.begin; i < page.end; i++) {
    bytes += sizeOf(page.objects[i]!, page.objects[i]!.resourceVersion, how);
  }
  return bytes;
}

/** A list of all of these objects. */
export function wholePage(objects: readonly StoredObject[], resourceVersion: number): ListPage {
  const end = objects.length;
  return { objects, begin: 0, end, resourceVersion, continueToken: '', remaining: undefined };
}

/** The body of a short list, without the line end that every answer has. */
export function listBody(page: ListPage, resource: Resource, how: ObjectFormat): string {
  const [head, tail] = listFrame(page, resource, how);
  const items = page.objects.slice(page.begin, page.end).map((object) => objectBytes(object, how));
  return `${head}${items.join(',')}${tail.trimEnd()}`;
}

function resolveState(
  collection: Collection,
  options: ListOptions,
  token: ContinueToken | undefined,
  current: number,
): { objects: readonly StoredObject[]; resourceVersion: number } {
  if (token !== undefined && token.resourceVersion !== -1) {
    const objects = collection.snapshotAt(token.resourceVersion);
    if (objects !== undefined) return { objects, resourceVersion: token.resourceVersion };
    const error = expired(CONTINUE_EXPIRED);
    error.status.metadata.continue = writeToken({ resourceVersion: -1, afterKey: token.afterKey });
    throw error;
  }
  const asked = options.resourceVersion ?? 0;
  if (asked > current) throw resourceVersionTooLarge(asked, current);
  // With a limit and nothing else said, the real server reads exactly this version, for old clients.
  const isExact = options.match === 'Exact' || (options.match === '' && options.limit > 0);
  if (!isExact || asked === 0) return { objects: collection.sorted(), resourceVersion: current };
  const objects = collection.snapshotAt(asked);
  if (objects === undefined) throw expired('The resourceVersion for the provided list is too old.');
  return { objects, resourceVersion: asked };
}

function filterPage(
  objects: readonly StoredObject[],
  begin: number,
  end: number,
  limit: number,
  options: ListOptions,
): { objects: readonly StoredObject[]; begin: number; end: number; next: number } {
  const filter = options.filter!;
  const selected: StoredObject[] = [];
  let next = begin;
  while (next < end && (limit === 0 || selected.length < limit)) {
    const object = objects[next++]!;
    if (filter(object)) selected.push(object);
  }
  return { objects: selected, begin: 0, end: selected.length, next };
}

function namespaceRange(objects: readonly StoredObject[], namespace: string): { begin: number; end: number } {
  return { begin: firstAfter(objects, `${namespace}/`), end: firstAfter(objects, `${namespace}0`) };
}

/** Index of the first object whose key is greater. No object has a key that ends in a slash. */
function firstAfter(objects: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (objects[middle]!.key > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Text before and after the items. Lists of custom resources have their keys sorted, metadata last. */
function listFrame(page: ListPage, resource: Resource, how: ObjectFormat): [string, string] {
  const resourceVersion = String(page.resourceVersion);
  const counts = page.remaining === undefined ? {} : { remainingItemCount: page.remaining };
  if (resource.custom && !how.metadataOnly) {
    const metadata = JSON.stringify({ continue: page.continueToken, ...counts, resourceVersion });
    return [
      `{"apiVersion":"${resource.apiVersion}","items":[`,
      `],"kind":"${resource.listKind}","metadata":${metadata}}\n`,
    ];
  }
  const token = page.continueToken === '' ? {} : { continue: page.continueToken };
  const metadata = JSON.stringify({ resourceVersion, ...token, ...counts });
  const kind = how.metadataOnly ? 'PartialObjectMetadataList' : resource.listKind;
  const apiVersion = how.metadataOnly ? 'meta.k8s.io/v1' : resource.apiVersion;
  const head = `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":`;
  // Of metadata, Go has an array that was never made.
  return how.metadataOnly && page.begin === page.end ? [`${head}null`, '}\n'] : [`${head}[`, ']}\n'];
}

async function writeItems(stream: BodyStream, page: ListPage, how: ObjectFormat): Promise<void> {
  let next = page.begin;
  let chunks = 0;
  while (next < page.end && !stream.closed) {
    const end = chunkEnd(page, next, how);
    const lease = encodeItems(page, next, end, how);
    stream.write(lease.bytes, lease);
    next = end;
    if (stream.blocked) await stream.drained();
    if (++chunks % CHUNKS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function chunkEnd(page: ListPage, begin: number, how: ObjectFormat): number {
  let bytes = 0;
  let end = begin;
  while (end < page.end && bytes < CHUNK_BYTES) {
    const object = page.objects[end++]!;
    bytes += sizeOf(object, object.resourceVersion, how) + 1;
  }
  return end;
}

function encodeItems(page: ListPage, begin: number, end: number, how: ObjectFormat): Lease {
  let bytes = begin > page.begin ? end - begin : end - begin - 1;
  for (let i = begin; i < end; i++) {
    bytes += sizeOf(page.objects[i]!, page.objects[i]!.resourceVersion, how);
  }
  const lease = writeBuffers.take(bytes);
  const chunk = lease.bytes;
  let at = 0;
  for (let i = begin; i < end; i++) {
    if (i > page.begin) chunk[at++] = COMMA;
    at = putObject(chunk, at, page.objects[i]!, page.objects[i]!.resourceVersion, how);
  }
  return lease;
}
const COMMA = 0x2c;

async function writeFaultyItems(
  stream: BodyStream,
  page: ListPage,
  how: ObjectFormat,
  faults: RequestFaults,
): Promise<void> {
  for (let i = page.begin; i < page.end && !stream.closed; i++) {
    if (i > page.begin) stream.write(Buffer.from(','));
    const item = objectBytes(page.objects[i]!, how);
    let isUsed = false;
    while (!isUsed && faults.itemsLeft(i - page.begin) === 0) {
      isUsed = strike(stream, faults.next()!, item);
    }
    if (!isUsed) stream.write(item);
    if (stream.blocked) await stream.drained();
  }
}
