/** What a request for a collection asks for. Selectors are ignored: no contender uses one. */

export interface ListQuery {
  readonly begin: number;
  /** Infinity for everything. */
  readonly limit: number;
}

export interface WatchQuery {
  /** 0 for any. */
  readonly resourceVersion: number;
  readonly sendInitialEvents: boolean;
  readonly allowBookmarks: boolean;
}

export function isWatch(query: URLSearchParams): boolean {
  const watch = query.get('watch');
  return watch === 'true' || watch === '1';
}

/** Like the watch cache of the real server, a list at resourceVersion 0 is not paged, whatever it says. */
export function readListQuery(query: URLSearchParams): ListQuery {
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  return {
    begin: Number(query.get('continue') ?? 0),
    limit: limit > 0 ? limit : Number.POSITIVE_INFINITY,
  };
}

export function readWatchQuery(query: URLSearchParams): WatchQuery {
  return {
    resourceVersion: Number(query.get('resourceVersion') ?? 0),
    sendInitialEvents: query.get('sendInitialEvents') === 'true',
    allowBookmarks: query.get('allowWatchBookmarks') === 'true',
  };
}
