import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HandlerContext } from './context.ts';
import { discover } from './discovery.ts';
import type { Fault, RequestFaults } from './faults.ts';
import { handleGet, handleList, handleWatch, sendNotAcceptable } from './handle-reads.ts';
import { handleWrite } from './handle-writes.ts';
import { REASONS } from './item-faults.ts';
import type { LoggedRequest } from './request-log.ts';
import { type RequestInfo, readRequest } from './requests.ts';
import { sendJson, sendStatus, sendText } from './respond.ts';
import { ApiStatusError, failure, methodNotAllowed, unknownResource } from './status.ts';

const NOT_FOUND_TEXT = '404 page not found\n';

/** Answers one request, whatever happens. */
export async function handleRequest(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const info = readRequest(context.store.registry, request.method ?? 'GET', request.url ?? '/');
  const entry = logRequest(context, request, info);
  response.on('close', () => {
    entry.durationMs = context.clock() - entry.startedAt;
    entry.status = response.headersSent ? response.statusCode : 0;
    if (entry.status >= 400) context.stats.failures++;
  });
  // A client that goes away in the middle is no error of this server.
  response.on('error', () => {});
  try {
    await answer(context, request, response, info);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendStatus(response, statusOf(error).status);
  }
  if (response.headersSent) entry.status = response.statusCode;
}

async function answer(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): Promise<void> {
  const faults = context.faults.take(info);
  if (faults !== undefined && (await strikeFirst(context, response, faults))) return;
  if (!isAuthorized(context, request)) {
    const { status } = failure(401, 'Unauthorized', 'Unauthorized');
    sendStatus(response, status, true);
    return;
  }
  if (info.resource === undefined) {
    answerDiscovery(context, response, info);
    return;
  }
  if (!acceptsJson(request)) {
    sendNotAcceptable(response);
    return;
  }
  await answerResource(context, request, response, info, faults);
}

async function answerResource(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  faults: RequestFaults | undefined,
): Promise<void> {
  const isUnknown = info.subresource !== '' && !isSubresource(info);
  if (isUnknown) throw unknownResource();
  switch (info.verb) {
    case 'get':
      context.stats.gets++;
      return handleGet(context, response, info);
    case 'list':
      context.stats.lists++;
      return await handleList(context, request, response, info, faults);
    case 'watch':
      context.stats.watches++;
      return handleWatch(context, request, response, info, faults);
    case 'other':
      throw methodNotAllowed();
    default:
      context.stats.writes++;
      return await handleWrite(context, request, response, info);
  }
}

function isSubresource({ resource, subresource }: RequestInfo): boolean {
  return subresource === 'status' && resource!.statusSubresource;
}

function answerDiscovery(context: HandlerContext, response: ServerResponse, info: RequestInfo): void {
  const found = discover(context.store.registry, info.path);
  if (found === undefined && info.isOfKnownApi) throw unknownResource();
  if (found === undefined) sendText(response, 404, NOT_FOUND_TEXT);
  else if (typeof found === 'string') sendText(response, 200, found);
  else sendJson(response, 200, JSON.stringify(found));
}

/** Faults that come before or instead of the answer. @returns true when there won't be another one */
async function strikeFirst(
  context: HandlerContext,
  response: ServerResponse,
  faults: RequestFaults,
): Promise<boolean> {
  const delay = faults.find('delay');
  if (delay !== undefined) await wait(response, delay.milliseconds);
  const broken = faults.atOnce();
  if (broken !== undefined) {
    if (broken.fault !== 'silence') context.breakOff(response, broken.fault);
    return true;
  }
  const status = faults.find('status');
  if (status !== undefined) {
    sendFaultyStatus(response, status);
    return true;
  }
  if (faults.find('wrong-content') === undefined) return false;
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  sendJson(response, 200, JSON.stringify(body));
  return true;
}

function sendFaultyStatus(response: ServerResponse, fault: Extract<Fault, { fault: 'status' }>): void {
  const { code, body, contentType, retryAfterSeconds } = fault;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  if (body !== undefined) {
    sendText(response, code, body, contentType ?? 'text/html');
    return;
  }
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  const { status } = failure(code, REASONS[code], `injected fault ${code}`, details);
  sendStatus(response, status);
}

/** Ends early when the connection does, so that a stopped server waits for no delay. */
function wait(response: ServerResponse, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function logRequest(context: HandlerContext, request: IncomingMessage, info: RequestInfo): LoggedRequest {
  return context.log.add({
    method: request.method ?? '',
    url: request.url ?? '',
    verb: info.verb,
    resource: info.resource?.resource ?? '',
    namespace: info.namespace,
    name: info.name,
    status: 0,
    startedAt: context.clock(),
    durationMs: undefined,
    userAgent: request.headers['user-agent'] ?? '',
    accept: request.headers.accept ?? '',
    acceptEncoding: String(request.headers['accept-encoding'] ?? ''),
  });
}

function isAuthorized(context: HandlerContext, request: IncomingMessage): boolean {
  const { tokens } = context;
  if (tokens === undefined) return true;
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return token !== undefined && tokens.includes(token);
}

function acceptsJson(request: IncomingMessage): boolean {
  const accept = request.headers.accept;
  return accept === undefined || accept === '' || /json|\*\/\*|application\/\*|yaml/.test(accept);
}

function statusOf(error: unknown): ApiStatusError {
  if (error instanceof ApiStatusError) return error;
  return failure(500, 'InternalError', `the fake API server failed: ${(error as Error).message}`);
}
