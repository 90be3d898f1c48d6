/** Reads what a reflector asks for out of its request, and gives it to functions in structured form. */
import type { ApiRequest } from '../reflector/index.ts';
import type { ListOptions, WatchOptions } from './types.ts';

export function isWatchRequest({ path }: ApiRequest): boolean {
  return queryOf(path).has('watch');
}

export function listOptionsOf({ path }: ApiRequest, signal: AbortSignal): ListOptions {
  const query = queryOf(path);
  const limit = query.get('limit');
  return {
    ...texts(query, [
      'resourceVersion',
      'resourceVersionMatch',
      'continue',
      'labelSelector',
      'fieldSelector',
    ] as const),
    ...(limit !== null && { limit: Number(limit) }),
    signal,
  };
}

export function watchOptionsOf({ path }: ApiRequest, signal: AbortSignal): WatchOptions {
  const query = queryOf(path);
  const timeoutSeconds = query.get('timeoutSeconds');
  return {
    ...texts(query, ['resourceVersion', 'labelSelector', 'fieldSelector'] as const),
    ...(query.get('allowWatchBookmarks') === 'true' && { allowWatchBookmarks: true }),
    ...(timeoutSeconds !== null && { timeoutSeconds: Number(timeoutSeconds) }),
    signal,
  };
}

function queryOf(path: string): URLSearchParams {
  const at = path.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : path.slice(at + 1));
}

function texts<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const found: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = query.get(name);
    if (value !== null) found[name] = value;
  }
  return found;
}
