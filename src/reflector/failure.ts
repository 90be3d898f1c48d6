import type { CallOutcome } from './call-plan.ts';
import { codeOf, isExpired, isTooLargeResourceVersion, retryAfterMs, toStatus } from './status.ts';
import type { ApiStatus, BodyProblem, ListEnvelope, ReflectorNotice } from './types.ts';

/**
 * What kind of failure it was, which decides what is done about it:
 *
 * | kind | seen as | list | watch |
 * |---|---|---|---|
 * | expired | 410, Expired, Gone | the other ways to list, at once; then backoff | relist |
 * | tooLarge | too large resourceVersion | quorum list at once; then backoff | relist |
 * | corrupt | StoreReadError | backoff | relist: only a list tells what is gone |
 * | unauthorized | 401 | new credentials at once; then backoff | the same |
 * | denied | 403, 404, 405, a Table, no memory | slow | slow, then relist |
 * | throttled | 408, 429 | backoff | backoff, even after a good watch |
 * | unavailable | no connection, 502, 503, 504 | backoff | re-watch, however often |
 * | rejected | other 3xx and 4xx | backoff | backoff, then relist |
 * | faulty | other 5xx, unreadable bodies, silence | backoff | re-watch, relist after some in a row |
 */
export type FailureKind =
  | 'expired'
  | 'tooLarge'
  | 'corrupt'
  | 'unauthorized'
  | 'denied'
  | 'throttled'
  | 'unavailable'
  | 'rejected'
  | 'faulty';

/** Why a list or a watch did not go well. */
export interface Failure {
  readonly kind: FailureKind;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what happened. */
  readonly cause: string;
  /** For people: what to do about it; '' when there is nothing to do. */
  readonly remedy: string;
  /** HTTP status or the code of a Status; 0 when the server sent none. */
  readonly status: number;
  /** The server's wish; 0 when it has none. */
  readonly retryAfterMs: number;
}

type Judgement = readonly [kind: FailureKind, code: string, remedy: string];

const OF_CODE: Readonly<Record<number, Judgement>> = {
  401: ['unauthorized', 'unauthorized', 'check that the credentials are valid and have not expired'],
  403: ['denied', 'forbidden', 'grant the verbs list and watch on this resource to the identity in use'],
  404: [
    'denied',
    'not-found',
    'check group, version and resource, and that its custom resource definition is installed',
  ],
  405: ['denied', 'method-not-allowed', 'use a resource that can be listed and watched'],
  408: ['throttled', 'request-timeout', ''],
  429: ['throttled', 'too-many-requests', ''],
  502: ['unavailable', 'unavailable', ''],
  503: ['unavailable', 'unavailable', ''],
  504: ['unavailable', 'unavailable', ''],
};

const EXPIRED: Judgement = ['expired', 'expired', ''];
const TOO_LARGE: Judgement = ['tooLarge', 'resource-version-too-large', ''];
const CORRUPT: Judgement = [
  'corrupt',
  'store-read-error',
  "an object in the cluster's storage can't be read; see the server's logs",
];
const FAULTY: Judgement = ['faulty', 'server-error', "see the server's logs"];
/** The transport names whom it asked when that is a proxy, which may have answered itself. */
const BETWEEN = 'see whether the proxy reaches the server';
const REJECTED: Judgement = ['rejected', 'rejected', 'check the resource, the selectors and the server URL'];

/**
 * What a Status that came as response or as ERROR event means.
 *
 * @param httpStatus - status of the response; 0 for an ERROR event
 * @param peer - who was asked as whom, when that is worth saying
 */
function failureOfStatus(
  httpStatus: number,
  given: ApiStatus,
  headers: Readonly<Record<string, string>>,
  peer = '',
): Failure {
  const status = toStatus(given);
  const code = httpStatus || codeOf(status);
  const [kind, name, known] = judge(code, status);
  const remedy = known === '' && peer !== '' ? BETWEEN : known;
  const asked = peer === '' ? '' : ` (${peer})`;
  const said = (status.message || status.reason || 'no message') + asked;
  const cause = code === 0 ? `the server says: ${said}` : `the server says ${code}: ${said}`;
  return { kind, code: name, cause, remedy, status: code, retryAfterMs: retryAfterMs(headers, status) };
}

function judge(code: number, status: ApiStatus): Judgement {
  if (isTooLargeResourceVersion(status)) return TOO_LARGE;
  if (isExpired(code, status)) return EXPIRED;
  if (status.reason === 'StoreReadError') return CORRUPT;
  return OF_CODE[code] ?? (code >= 300 && code < 500 ? REJECTED : FAULTY);
}

/** Why a call failed; undefined when its body was read to its end. */
export function failureOf(outcome: CallOutcome): Failure | undefined {
  switch (outcome.kind) {
    case 'read':
      return undefined;
    case 'refused':
      return failureOfStatus(outcome.httpStatus, outcome.status, outcome.headers, outcome.peer);
    case 'broken':
      return failureOfConnection(outcome.error);
    case 'silent':
      return failureOfSilence(outcome.responded, outcome.limitMs);
    case 'unreadable':
      if (outcome.brokenBy !== undefined) return failureOfConnection(outcome.brokenBy);
      return failureOfBody(outcome.problem);
  }
}

/** Why a watch ended; undefined when the server closed it cleanly. `errorEvent` is the object of an ERROR event. */
export function failureOfWatch(outcome: CallOutcome, errorEvent: ApiStatus | undefined): Failure | undefined {
  return errorEvent === undefined ? failureOf(outcome) : failureOfStatus(0, errorEvent, {});
}

/** Why a list body that was read to its end is none; undefined when it is one. */
export function failureOfEnvelope(envelope: ListEnvelope | undefined): Failure | undefined {
  const kind = envelope?.kind ?? '';
  // A Status that names no failure says only that it is no list.
  if (kind === 'Status' && codeOf(toStatus(envelope)) !== 0) {
    return failureOfStatus(0, toStatus(envelope), {});
  }
  if (kind === 'Table' || kind === 'TableList') {
    return ownFailure(
      'denied',
      'table',
      `the response is a ${kind}`,
      'a proxy must not change the Accept header',
    );
  }
  if (envelope?.metadata === undefined || (kind !== '' && !kind.endsWith('List'))) {
    return ownFailure(
      'faulty',
      'not-a-list',
      `the response is ${kind === '' ? 'no Kubernetes list' : `a ${kind}`}`,
      WRONG_SERVER,
    );
  }
  return undefined;
}

/** A page that asks for itself again. */
export function failureOfEndlessList(): Failure {
  return ownFailure('faulty', 'endless-list', 'a page names its own continue token', FAULTY[2]);
}

/** A watch that the server closed cleanly, but too early to be of use. */
export function failureOfShortWatch(openMs: number): Failure {
  const cause = `the server closed it after ${(openMs / 1000).toFixed(1)} s without an event`;
  return ownFailure('unavailable', 'short-watch', cause, '');
}

/** A stream of initial events that the server closed cleanly before it was complete. */
export function failureOfUnfinishedStream(): Failure {
  const cause = 'the server closed it before the bookmark that ends the initial events';
  return ownFailure('faulty', 'no-initial-events-end', cause, '');
}

/** A stream of initial events whose end did not come in time. Waiting again would not help. */
export function failureOfEndlessStream(limitMs: number): Failure {
  const cause = `the bookmark that ends the initial events did not come within ${limitMs / 1000} s`;
  return ownFailure('rejected', 'no-initial-events-end', cause, '');
}

/** A list whose first page names no resourceVersion: nothing could be watched from it. */
export function failureOfMissingVersion(): Failure {
  const cause = 'the list has no metadata.resourceVersion';
  return ownFailure('denied', 'no-resource-version', cause, 'use a resource that can be watched');
}

const WRONG_SERVER = 'check that the server URL is that of a Kubernetes API and not of a login page or proxy';

function failureOfBody({ code, message }: BodyProblem): Failure {
  return ownFailure(kindOfProblem(code), code, message, code === 'not-json' ? WRONG_SERVER : '');
}

function kindOfProblem(code: string): FailureKind {
  // A body without its end is a connection that broke and did not say so.
  if (code.startsWith('truncated')) return 'unavailable';
  // Our own memory has room again for what was left out, or an event can't be read: only a list brings what is missing.
  if (code === 'room-again' || code === 'broken-again') return 'corrupt';
  // Our own memory is full. A watch stands still at what does not fit; only a list shows what has gone meanwhile.
  return code === 'arena-full' ? 'denied' : 'faulty';
}

function failureOfConnection(error: Error): Failure {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'connection-failed';
  return ownFailure('unavailable', code, error.message, '');
}

function failureOfSilence(responded: boolean, limitMs: number): Failure {
  const seconds = limitMs / 1000;
  if (responded)
    return ownFailure('faulty', 'idle-timeout', `nothing came for ${seconds} s on an open connection`, '');
  return ownFailure('unavailable', 'response-timeout', `no response came for ${seconds} s`, '');
}

function ownFailure(kind: FailureKind, code: string, cause: string, remedy: string): Failure {
  return { kind, code, cause, remedy, status: 0, retryAfterMs: 0 };
}

/** The same failure, when what is done about it is to list. */
export function answeredByList(failure: Failure): Failure {
  return { ...failure, remedy: 'the objects are listed instead' };
}

/** Tells people about a failure: what was tried, why it failed, what they can do, and what happens next. */
export function errorNotice(attempt: string, failure: Failure, retryInMs: number): ReflectorNotice {
  const next = retryInMs === 0 ? 'trying again now' : `next try in ${(retryInMs / 1000).toFixed(1)} s`;
  const parts = [`${attempt} failed: ${failure.cause}`, failure.remedy, next];
  return {
    type: 'error',
    code: failure.code,
    message: parts.filter((part) => part !== '').join('; '),
    ...(failure.status !== 0 && { status: failure.status }),
    retryInMs,
  };
}
