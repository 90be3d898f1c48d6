/** What the server has done, and what it has open. */
export interface ServerStats {
  /** Sockets that are open. */
  openSockets: number;
  /** Watches that are open. */
  openWatches: number;
  /** Connections accepted since the start. */
  connections: number;
  /** Requests by verb since the start. */
  lists: number;
  watches: number;
  gets: number;
  writes: number;
  /** Requests that were answered with an error status. */
  failures: number;
  /** Watch events sent, bookmarks not counted. */
  eventsSent: number;
  bookmarksSent: number;
  /** Bytes of bodies of lists and watches, before compression. */
  bytesSent: number;
  /** Watches that were ended because they were slower than the history is long. */
  watchesTooSlow: number;
}

export function newStats(): ServerStats {
  return {
    openSockets: 0,
    openWatches: 0,
    connections: 0,
    lists: 0,
    watches: 0,
    gets: 0,
    writes: 0,
    failures: 0,
    eventsSent: 0,
    bookmarksSent: 0,
    bytesSent: 0,
    watchesTooSlow: 0,
  };
}
