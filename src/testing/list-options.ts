import { isTrue, type RequestInfo } from './requests.ts';
import { compileSelection, type Filter } from './selectors.ts';
import { badRequest, failure, forbiddenOption, invalidOption } from './status.ts';

/** The options of a list or watch, read from the query. */
export interface ListOptions {
  filter: Filter | undefined;
  /** Selectors were given, so `remainingItemCount` can't be known. */
  hasSelectors: boolean;
  namespace: string;
  /** 0 for no limit. */
  limit: number;
  continueToken: string;
  /** Undefined when empty: "now". */
  resourceVersion: number | undefined;
  match: '' | 'Exact' | 'NotOlderThan';
  sendInitialEvents: boolean;
  allowBookmarks: boolean;
  /** 0 for none. */
  timeoutSeconds: number;
}

/** Where a list ended, so that the next page can go on. Opaque to clients. */
export interface ContinueToken {
  /** -1: go on with what is there now, as the token in a 410 says. */
  resourceVersion: number;
  /** The last key of the page before. */
  afterKey: string;
}

const TOKEN_VERSION = 'meta.k8s.io/v1';

/** @throws ApiStatusError when an option can't be read, or two contradict each other */
export function readListOptions(info: RequestInfo): ListOptions {
  const query = info.query;
  const labelSelector = query.get('labelSelector') ?? '';
  const fieldSelector = query.get('fieldSelector') ?? '';
  const options: ListOptions = {
    filter: compileSelection(info.resource!, { namespace: info.namespace, labelSelector, fieldSelector }),
    hasSelectors: labelSelector !== '' || fieldSelector !== '',
    namespace: info.namespace,
    limit: wholeNumber(query.get('limit')),
    continueToken: query.get('continue') ?? '',
    resourceVersion: readResourceVersion(query.get('resourceVersion') ?? '', info),
    match: readMatch(query.get('resourceVersionMatch') ?? ''),
    sendInitialEvents: isTrue(query.get('sendInitialEvents')),
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: wholeNumber(query.get('timeoutSeconds')),
  };
  rejectContradictions(options, info);
  return options;
}

export function writeToken(token: ContinueToken): string {
  // The real token names where to start: behind the last key, which is that key and a zero byte.
  const start = `${token.resourceVersion === -1 ? '' : '/'}${token.afterKey}\u0000`;
  const text = JSON.stringify({ v: TOKEN_VERSION, rv: token.resourceVersion, start });
  return Buffer.from(text).toString('base64url');
}

/** @throws ApiStatusError (400) when the token is none of ours */
export function readToken(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
    const { v, rv, start } = token;
    if (v === TOKEN_VERSION && typeof rv === 'number' && typeof start === 'string') {
      return { resourceVersion: rv, afterKey: start.replace(/^\//, '').replace(/\0$/, '') };
    }
  } catch {
    // Broken base64 or JSON: the same answer as for a token with other content.
  }
  throw badRequest('invalid continue token: continue key is not valid: it was not made by this server');
}

function readResourceVersion(text: string, info: RequestInfo): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  // The real server answers 500 without a reason here when it is a watch.
  throw info.verb === 'watch'
    ? failure(500, undefined, message)
    : badRequest(`invalid resource version: ${message}`);
}

function readMatch(text: string): ListOptions['match'] {
  if (text === '' || text === 'Exact' || text === 'NotOlderThan') return text;
  const why = `Unsupported value: ${JSON.stringify(text)}: supported values: "Exact", "NotOlderThan", ""`;
  throw invalidOption('ListOptions', 'resourceVersionMatch', 'FieldValueNotSupported', why);
}

function rejectContradictions(options: ListOptions, info: RequestInfo): void {
  const { match, resourceVersion, continueToken } = options;
  if (continueToken !== '' && info.query.get('resourceVersion')) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (info.verb === 'watch') {
    rejectWatchContradictions(options);
    return;
  }
  if (options.sendInitialEvents) {
    throw forbiddenOption('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
  if (match !== '' && resourceVersion === undefined) {
    const why = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw forbiddenOption('resourceVersionMatch', why);
  }
  if (match === 'Exact' && resourceVersion === 0) {
    const why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
    throw forbiddenOption('resourceVersionMatch', why);
  }
}

function rejectWatchContradictions(options: ListOptions): void {
  if (options.sendInitialEvents && options.match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw forbiddenOption('resourceVersionMatch', why);
  }
  if (!options.sendInitialEvents && options.match !== '') {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    throw forbiddenOption('resourceVersionMatch', why);
  }
}

function wholeNumber(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
