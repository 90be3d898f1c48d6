/** What a request of the product asks for, and answers in the form of the Kubernetes API. */
import type { Change } from './etcd.ts';

export interface Asked {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly isWatch: boolean;
  /** A watch that begins with all objects. */
  readonly isStream: boolean;
  /** '' when it names none. */
  readonly resourceVersion: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number;
}

export function parsePath(path: string): Asked {
  const [where, text = ''] = path.split('?') as [string, string?];
  const query = new URLSearchParams(text);
  const parts = where.split('/').slice(3);
  const namespace = parts[0] === 'namespaces' ? parts[1] : undefined;
  return {
    resource: parts.at(-1)!,
    namespace,
    isWatch: query.get('watch') === '1',
    isStream: query.get('sendInitialEvents') === 'true',
    resourceVersion: query.get('resourceVersion') ?? '',
    limit: Number(query.get('limit') ?? 0),
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: Number(query.get('timeoutSeconds') ?? 0),
  };
}

export function describeAsked({
  resource,
  isWatch,
  isStream,
  resourceVersion,
  continueToken,
}: Asked): string {
  const verb = isStream ? 'stream' : isWatch ? 'watch' : 'list';
  const token = continueToken === '' ? '' : ` continue ${continueToken}`;
  return `${verb} ${resource} at '${resourceVersion}'${token}`;
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function statusOf(code: number, message = `simulated ${code}`, details: object = {}): object {
  const reason = REASONS[code] ?? '';
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    details,
  };
}

export function tooLarge(): object {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return statusOf(504, 'Too large resource version: simulated', { causes, retryAfterSeconds: 1 });
}

/** Ways to write the same list. */
export interface ListStyle {
  /** Items say kind and apiVersion, as those of custom resources do. */
  readonly hasItemTypes: boolean;
  readonly isPretty: boolean;
  /** The list's metadata stands behind its items. */
  readonly isMetadataLast: boolean;
}

export function listBody(objects: readonly Change[], metadata: object, style: ListStyle): string {
  const items = objects.map(({ object }) => {
    const { kind, apiVersion, ...rest } = object;
    return style.hasItemTypes ? { kind, apiVersion, ...rest } : rest;
  });
  const type = { kind: 'ThingList', apiVersion: 'v1' };
  const list = style.isMetadataLast ? { ...type, items, metadata } : { ...type, metadata, items };
  return JSON.stringify(list, undefined, style.isPretty ? 2 : undefined);
}

export function eventLine(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmarkOf(revision: number, isInitialEnd = false): object {
  const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(revision), creationTimestamp: null, ...annotations },
    spec: { containers: null },
  };
}
