import type { ServerResponse } from 'node:http';
import type { ConnectionFault, Faults } from './faults.ts';
import type { RequestLog } from './request-log.ts';
import type { ServerStats } from './stats.ts';
import type { Store } from './store.ts';
import type { Watch } from './watch.ts';

/** How a server behaves, everything decided. */
export interface Behaviour {
  /** A list with resourceVersion 0 honours `limit`. The real one ignores it. */
  pageAtZero: boolean;
  /** Compress for clients that accept it. */
  gzip: boolean;
  bookmarkIntervalMs: number;
  watchList: 'supported' | 'forbidden' | 'bad-request' | 'ignored';
  tooOldAs: 'event' | 'status';
}

/** What the handlers of requests share. */
export interface HandlerContext {
  readonly store: Store;
  readonly faults: Faults;
  readonly stats: ServerStats;
  readonly log: RequestLog;
  readonly options: Behaviour;
  readonly watches: Set<Watch>;
  /** Tokens that are let in; everybody is when undefined. */
  tokens: readonly string[] | undefined;
  readonly clock: () => number;
  /** Closes or resets the connection of an answer. */
  readonly breakOff: (response: ServerResponse, how: ConnectionFault['fault']) => void;
}
