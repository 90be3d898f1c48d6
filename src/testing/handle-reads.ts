import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyStream } from './body-stream.ts';
import type { Collection } from './collection.ts';
import type { HandlerContext } from './context.ts';
import type { RequestFaults } from './faults.ts';
import { errorEvent } from './item-faults.ts';
import { listBytes, selectPage, writeList } from './list.ts';
import { type ListOptions, readListOptions } from './list-options.ts';
import type { RequestInfo } from './requests.ts';
import { sendJson, sendStatus, startStream } from './respond.ts';
import { badRequest, expired, forbiddenOption, notFound, resourceVersionTooLarge } from './status.ts';
import { BARE, objectBytes, PARTIAL, standalone } from './stored-object.ts';
import { Watch } from './watch.ts';

/** Up to this size an answer is one write with a Content-Length, as the real server does. */
const MAX_WHOLE_BYTES = 64 * 1024;

/** The real server compresses answers above this size only. */
const MIN_GZIP_BYTES = 128 * 1024;

const PARTIAL_ACCEPT = /\bas=PartialObjectMetadata(List)?\b/;

/** Answers a GET of one object. */
export function handleGet(context: HandlerContext, response: ServerResponse, info: RequestInfo): void {
  const resource = info.resource!;
  const collection = context.store.collection(resource);
  const object = collection.get(info.namespace === '' ? info.name : `${info.namespace}/${info.name}`);
  if (object === undefined) throw notFound(resource, info.name);
  const isPartial = PARTIAL_ACCEPT.test(String(response.req.headers.accept ?? ''));
  sendJson(response, 200, objectBytes(object, isPartial ? PARTIAL : standalone(resource)));
}

/** Answers a list. */
export async function handleList(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  faults: RequestFaults | undefined,
): Promise<void> {
  const options = readListOptions(info);
  const collection = context.store.collection(info.resource!);
  const page = selectPage(collection, options, context.store.resourceVersion, context.options.pageAtZero);
  const how = PARTIAL_ACCEPT.test(request.headers.accept ?? '') ? PARTIAL : BARE;
  const isShort = page.end - page.begin < MAX_WHOLE_BYTES / 1024;
  const bytes = isShort ? listBytes(page, info.resource!, how) : Number.POSITIVE_INFINITY;
  const isCompressed = bytes >= MIN_GZIP_BYTES && acceptsGzip(context, request);
  if (bytes <= MAX_WHOLE_BYTES && faults === undefined) response.setHeader('Content-Length', bytes);
  startStream(response, isCompressed);
  const gzip = isCompressed ? 'whole' : 'no';
  const stream = new BodyStream(response, context.stats, faults, context.breakOff, gzip);
  await writeList(stream, page, info.resource!, how, faults);
}

/** Answers a watch: starts it and returns; it goes on until it ends. */
export function handleWatch(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  faults: RequestFaults | undefined,
): void {
  const options = readListOptions(info);
  const collection = context.store.collection(info.resource!);
  const isWatchList = options.sendInitialEvents && context.options.watchList !== 'ignored';
  if (isWatchList) refuseWatchList(context);
  const isTooOld = !isWatchList && isForgotten(collection, options);
  if (isTooOld && context.options.tooOldAs === 'status') throw tooOld(collection, options);

  const isCompressed = isWatchList && acceptsGzip(context, request);
  startStream(response, isCompressed);
  // A client waits for the headers to know that its watch stands, and there may be no event for long.
  response.flushHeaders();
  const gzip = isCompressed ? 'flushed' : 'no';
  const stream = new BodyStream(response, context.stats, faults, context.breakOff, gzip);
  const refusal = isTooOld ? tooOld(collection, options) : tooNew(context, options, isWatchList);
  if (refusal !== undefined) {
    stream.write(errorEvent(refusal));
    stream.end();
    return;
  }
  const partial = PARTIAL_ACCEPT.test(request.headers.accept ?? '');
  startWatch(context, collection, stream, { options, isWatchList, partial, faults });
}

function startWatch(
  context: HandlerContext,
  collection: Collection,
  stream: BodyStream,
  how: { options: ListOptions; isWatchList: boolean; partial: boolean; faults: RequestFaults | undefined },
): void {
  const { store, stats } = context;
  const { options, isWatchList, partial, faults } = how;
  const sendsState = isWatchList || !options.resourceVersion;
  const objects = sendsState ? collection.sorted() : [];
  const watch = new Watch({
    collection,
    stream,
    stats,
    filter: options.filter,
    partial,
    faults,
    initial: options.filter === undefined ? objects : objects.filter(options.filter),
    from: sendsState ? collection.history.end : collection.history.after(options.resourceVersion!),
    initialVersion: store.resourceVersion,
    marksEnd: isWatchList && options.allowBookmarks,
    bookmarkIntervalMs: options.allowBookmarks ? context.options.bookmarkIntervalMs : 0,
    timeoutMs: options.timeoutSeconds * 1000,
    after: sendsState ? 0 : options.resourceVersion!,
    resourceVersion: () => store.resourceVersion,
  });
  stats.openWatches++;
  context.watches.add(watch);
  stream.onClose(() => {
    stats.openWatches--;
    context.watches.delete(watch);
  });
  watch.start();
}

function isForgotten(collection: Collection, options: ListOptions): boolean {
  const asked = options.resourceVersion ?? 0;
  return asked !== 0 && asked < collection.history.compactedAt;
}

function tooOld(collection: Collection, options: ListOptions) {
  return expired(`too old resource version: ${options.resourceVersion} (${collection.history.compactedAt})`);
}

/** As servers before WatchList, or with it switched off, do. */
function refuseWatchList(context: HandlerContext): void {
  const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
  const { watchList } = context.options;
  if (watchList === 'forbidden') throw forbiddenOption('sendInitialEvents', why);
  if (watchList === 'bad-request') throw badRequest(why);
}

/** Initial events can't be had at a version that the server has not reached; it says so in the stream. */
function tooNew(context: HandlerContext, options: ListOptions, isWatchList: boolean) {
  const current = context.store.resourceVersion;
  const asked = options.resourceVersion ?? 0;
  return isWatchList && asked > current ? resourceVersionTooLarge(asked, current) : undefined;
}

function acceptsGzip(context: HandlerContext, request: IncomingMessage): boolean {
  return context.options.gzip && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}

/** What the real server says to a client that takes no JSON. */
export function sendNotAcceptable(response: ServerResponse): void {
  const message =
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message } as const;
  sendStatus(response, { ...status, reason: 'NotAcceptable', details: {}, code: 406 }, true);
}
