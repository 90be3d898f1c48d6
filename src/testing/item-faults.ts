import type { BodyStream } from './body-stream.ts';
import { type ConnectionFault, type ItemFault, isConnectionFault } from './faults.ts';
import { isJsonObject } from './json.ts';
import { type ApiStatusError, failure } from './status.ts';

const GARBAGE_LINE = 'this line is not JSON {"type":';

/** Bytes that are never part of UTF-8. */
const INVALID_BYTE = 0xff;

/** Every object has this field, and nothing depends on its value. */
const SPOILED_FIELD = '"creationTimestamp":"';

/**
 * Strikes with a fault where the next item would be.
 *
 * @param item - the bytes of the next item, with line end when it is an event
 * @returns true when the item was used up
 */
export function strike(stream: BodyStream, fault: ItemFault | ConnectionFault, item: Buffer): boolean {
  if (isConnectionFault(fault)) {
    stream.fail(fault.fault);
    return false;
  }
  switch (fault.fault) {
    case 'garbage':
      stream.write(Buffer.from(`${fault.line ?? GARBAGE_LINE}\n`));
      return false;
    case 'error-event':
      stream.write(errorEvent(injected(fault.code, fault.reason)));
      return false;
    case 'truncated':
      stream.write(Buffer.concat([item.subarray(0, item.length >>> 1), Buffer.from('\n')]));
      return true;
    case 'invalid-utf8':
      stream.write(spoilUtf8(item));
      return true;
    case 'nameless':
      stream.write(withoutName(item));
      return true;
    case 'lost':
      return true;
  }
}

/** An ERROR event, as a watch gets it when the server gives up on it. */
export function errorEvent({ status }: ApiStatusError): Buffer {
  return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
}

function injected(code: number, reason = REASONS[code]): ApiStatusError {
  return failure(code, reason, `injected fault ${code}`);
}

/** Reasons that the real server gives with these codes. */
export const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function spoilUtf8(item: Buffer): Buffer {
  const spoiled = Buffer.from(item);
  const field = spoiled.indexOf(SPOILED_FIELD);
  if (field !== -1) spoiled[field + SPOILED_FIELD.length] = INVALID_BYTE;
  return spoiled;
}

function withoutName(item: Buffer): Buffer {
  const text = item.toString();
  const parsed: unknown = JSON.parse(text);
  const object = isJsonObject(parsed) && isJsonObject(parsed.object) ? parsed.object : parsed;
  if (isJsonObject(object) && isJsonObject(object.metadata)) delete object.metadata.name;
  return Buffer.from(JSON.stringify(parsed) + (text.endsWith('\n') ? '\n' : ''));
}
