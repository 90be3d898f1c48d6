import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseExact } from './json.ts';
import { badRequest, failure, type StatusBody } from './status.ts';

/** As a real API server's default for a request body. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Sent with every answer of the real server. */
const CACHE_CONTROL = 'no-cache, private';

/** Answers with JSON that is there already. Bodies end in a line end, as Go's encoder prints them. */
export function sendJson(response: ServerResponse, code: number, body: string | Buffer): void {
  const bytes = Buffer.concat([typeof body === 'string' ? Buffer.from(body) : body, LINE_END]);
  response.writeHead(code, {
    'Cache-Control': CACHE_CONTROL,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  });
  response.end(bytes);
}
const LINE_END = Buffer.from('\n');

/** Answers with a Status. The real server indents those that it makes before it knows the resource. */
export function sendStatus(response: ServerResponse, status: StatusBody, isIndented = false): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) response.setHeader('Retry-After', String(seconds));
  const code = status.code ?? 200;
  if (!isIndented) {
    sendJson(response, code, JSON.stringify(status));
    return;
  }
  const bytes = Buffer.from(JSON.stringify(status, undefined, 2));
  response.writeHead(code, {
    'Cache-Control': CACHE_CONTROL,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  });
  response.end(bytes);
}

/** Answers with text, as for paths that no API server knows. */
export function sendText(response: ServerResponse, code: number, body: string, contentType?: string): void {
  response.writeHead(code, {
    'Cache-Control': CACHE_CONTROL,
    'Content-Type': contentType ?? 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Starts an answer of unknown length. */
export function startStream(response: ServerResponse, isCompressed: boolean): void {
  response.setHeader('Cache-Control', CACHE_CONTROL);
  response.setHeader('Content-Type', 'application/json');
  if (isCompressed) {
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
  }
  response.writeHead(200);
}

/** Reads a request's body. @throws ApiStatusError (413) when it is too large */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      const message = `Request entity too large: limit is ${MAX_BODY_BYTES}`;
      throw failure(413, 'RequestEntityTooLarge', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Parses a body of JSON. @throws ApiStatusError (400) */
export function parseBody(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw badRequest(`the body of the request was not valid JSON: ${(error as Error).name}`);
  }
}
