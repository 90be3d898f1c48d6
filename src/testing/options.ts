import type { Behaviour } from './context.ts';
import type { ResourceDefinition } from './resources.ts';

/** Options of a fake API server that can be sent to another process or thread. */
export interface RemoteServerOptions {
  /** Default: any free port. */
  port?: number;
  /** `true` for a certificate that the library brings along, for tests only. Default: plain HTTP. */
  tls?: boolean | { key: string; cert: string; ca?: string };
  /** Everything random comes from here. Default 1, so that runs are alike. */
  seed?: number;
  /** Custom resources to serve besides the built-in ones. */
  resources?: readonly ResourceDefinition[];
  /** The resourceVersion before the first write. Default 1000. */
  resourceVersion?: number;
  /** How many writes per resource a watch can go back. Default 50,000. */
  historyEvents?: number;
  /** Time between bookmarks of a watch that allows them. Default 60,000, as the real server. */
  bookmarkIntervalMs?: number;
  /**
   * What happens to `sendInitialEvents=true`: it works, or as on older servers is refused (`forbidden`: 422,
   * `bad-request`: 400) or `ignored`. Default `supported`.
   */
  watchList?: Behaviour['watchList'];
  /** A watch from a forgotten resourceVersion gets 200 with an ERROR event, or HTTP status 410. Default `event`. */
  tooOldAs?: Behaviour['tooOldAs'];
  /** A list with resourceVersion 0 honours `limit`. Default false, as the real server. */
  pageAtZero?: boolean;
  /** Compress lists and watches for clients that accept it. Default false. */
  gzip?: boolean;
  /** How many requests are kept in the log. Default 10,000. */
  requestLogLimit?: number;
  /** Bearer tokens that are let in; without this, everybody is. */
  tokens?: readonly string[];
}

/** Options of a fake API server in another process or thread, as that gets them. */
export interface ChildOptions extends RemoteServerOptions {
  /**
   * Linux, macOS: the scheduling priority of the server, from 0 to 19 (last). A real API server has processors of its
   * own: with 10, the server leaves more of a machine with few cores to what is tested. Default: as this process.
   */
  niceness?: number;
}

/** Options of a fake API server in this process. */
export interface FakeApiServerOptions extends RemoteServerOptions {
  /** Milliseconds since 1970, for timestamps of objects and of the log. Default `Date.now`. */
  clock?: () => number;
}

export const DEFAULT_SEED = 1;
export const DEFAULT_RESOURCE_VERSION = 1000;

/** Ten seconds of a busy cluster (5,000 writes/s). Pods share most bytes with their last state: some 100 MB. */
export const DEFAULT_HISTORY_EVENTS = 50_000;

const DEFAULT_BOOKMARK_INTERVAL_MS = 60_000;

/** A few megabytes. */
export const DEFAULT_REQUEST_LOG_LIMIT = 10_000;

export function behaviourOf(options: RemoteServerOptions): Behaviour {
  return {
    pageAtZero: options.pageAtZero ?? false,
    gzip: options.gzip ?? false,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? DEFAULT_BOOKMARK_INTERVAL_MS,
    watchList: options.watchList ?? 'supported',
    tooOldAs: options.tooOldAs ?? 'event',
  };
}
