/**
 * What a Reflector needs from others, so that it knows neither sockets nor shared memory: a transport that
 * opens requests, and a sink that reads bodies and hands deltas on. Both are parameters, as are clock and
 * randomness; tests pass fakes.
 */

/** A group, version and resource: what an informer watches. */
export interface ResourceRef {
  /** API group, '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural lower-case name as in URLs, for example 'pods'. */
  readonly resource: string;
  /** Only this namespace; all when absent. */
  readonly namespace?: string;
}

/** A request of the Kubernetes API, without host and credentials: the transport adds them. */
export interface ApiRequest {
  /** Path with query, for example `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ask the credentials' owner for new ones before this request (after a 401). */
  readonly refreshCredentials?: boolean;
}

/**
 * What a transport tells about one response, in this order; after `onEnd` or `onError` nothing follows.
 * A chunk may be kept: the transport does not write to its bytes again.
 */
export interface ResponseHandlers {
  /** `peer` says who was asked as whom, when that may be why the response is what it is; for messages. */
  onResponse(status: number, headers: Readonly<Record<string, string>>, peer?: string): void;
  onData(chunk: Uint8Array): void;
  onEnd(): void;
  /** The connection broke, could not be made, or the credentials could not be had. Never after `abort`. */
  onError(error: Error): void;
}

/** One request on its way. */
export interface Exchange {
  /** Stops reading from the socket, so that TCP pushes back on the server. */
  pause(): void;
  resume(): void;
  /** Ends the request; no handler is called afterwards. */
  abort(): void;
}

export interface Transport {
  open(request: ApiRequest, handlers: ResponseHandlers): Exchange;
}

/** How far a reader came. */
export const ReadState = {
  /** All bytes so far are used: push more. */
  more: 0,
  /** The ring or the arena is full: pause the socket, and read again when the sink calls `onSpace`. */
  full: 1,
  /** The body was read to its end. */
  done: 2,
  /** The body can't be read on; see `problem`. What was handed on before stays valid. */
  failed: 3,
  /**
   * The initial events of a watch are complete. Said once, by a reader of `openWatch({ initial: true })` whose
   * `lastResourceVersion` is that of the marker; `read` is called again when the Replace was closed.
   */
  initialEnd: 4,
} as const;

export type ReadState = (typeof ReadState)[keyof typeof ReadState];

/** Something wrong with a body or an object in it. */
export interface BodyProblem {
  /** Stable code, for example 'malformed-event' or 'truncated-list'. */
  readonly code: string;
  /** What is wrong, at which byte, and, when known, with which object. */
  readonly message: string;
}

/** The root of a list body without its items, or a Status that came instead. */
export interface ListEnvelope {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  /** The fields of a Status. */
  readonly status?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: unknown;
}

/** A Kubernetes Status: what the API server says when something failed. */
export interface ApiStatus {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/** What every reader of a response body can do. */
export interface BodyReader {
  push(chunk: Uint8Array): void;
  /** The response ended. What is buffered can still be read. */
  end(): void;
  /** Uses as many bytes as possible. After `full`, call it again when there is space. */
  read(): ReadState;
  readonly problem: BodyProblem | undefined;
  /** Gives buffers back; the reader can't be used afterwards. Harmless when called twice. */
  close(): void;
}

/** Reads one page of a list; its objects go on as items of the Replace that is open. */
export interface ListReader extends BodyReader {
  /** Items handed on so far. */
  readonly items: number;
  /** Known when `read` returned `done`. */
  readonly envelope: ListEnvelope | undefined;
}

/** How a watch begins. */
export interface WatchStart {
  /**
   * The stream begins with all objects there are. Until its marker, a BOOKMARK whose annotation
   * `k8s.io/initial-events-end` is the string `true`, objects of ADDED and MODIFIED events are items of the Replace
   * that is open, those of DELETED events are deletes, and other bookmarks are left out. The marker is not handed on:
   * `read` returns `initialEnd`. What follows it is a watch as any other.
   */
  readonly initial: boolean;
  /** What is known when it begins; '' for nothing. Bookmarks of older versions say nothing, and are left out. */
  readonly resourceVersion: string;
}

/** Reads a watch stream; events and bookmarks go on as deltas. */
export interface WatchReader extends BodyReader {
  /** Events handed on so far, bookmarks included. */
  readonly events: number;
  /**
   * resourceVersion of the last event or bookmark that was handed on, or of the marker; undefined before the first.
   * Initial events need not set it, for they come in no order.
   */
  readonly lastResourceVersion: string | undefined;
  /** The object of an ERROR event; `read` returns `failed` when one came. */
  readonly status: ApiStatus | undefined;
}

/** Where a Reflector puts what it reads. A Replace is begin, items of one or more pages, end. */
export interface DeltaSink {
  /**
   * Opens a Replace: what it does not hold has vanished. A second begin without an end starts anew.
   *
   * @returns false when the ring is full: call again after `onSpace`
   */
  beginReplace(): boolean;
  openList(): ListReader;
  /**
   * Closes the Replace; the cache is synced to `resourceVersion`, which is that of the first page or of the marker.
   * `envelope` is that of the last page, and has no kind after initial events. False when full: call again after
   * `onSpace`.
   */
  endReplace(resourceVersion: string, envelope: ListEnvelope): boolean;
  openWatch(start: WatchStart): WatchReader;
  /** Called when something can be handed on again after a `full` or a false. Set by the Reflector. */
  onSpace: (() => void) | undefined;
  /** Tells people; never blocks and never throws. */
  notice(notice: ReflectorNotice): void;
}

/** What a Reflector has to say besides deltas. */
export type ReflectorNotice =
  | { readonly type: 'state'; readonly state: ReflectorState }
  | {
      readonly type: 'progress';
      /** Items of the running list so far. */
      readonly items: number;
      /** What the server says is still to come, when it does. */
      readonly remaining?: number;
    }
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      /** HTTP status or the code of a Status, when the server sent one. */
      readonly status?: number;
      /** When the next try is made, in milliseconds from now; absent when nothing is pending. */
      readonly retryInMs?: number;
    };

/**
 * The states of a Reflector.
 * `idle` → `listing` or `initialStream` → `watching` → (`watching` again after a disconnect | `backingOff` →
 * `listing`, `initialStream` or `watching`) …; `stopped` from anywhere and for ever.
 */
export type ReflectorState = 'idle' | 'listing' | 'initialStream' | 'watching' | 'backingOff' | 'stopped';

/** Time, injected so that tests own it. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
