import type { Verb } from './requests.ts';

/** One request that the server got. Headers with credentials are not kept. */
export interface LoggedRequest {
  method: string;
  /** Path and query. */
  url: string;
  verb: Verb;
  /** Plural of the resource, empty for paths that are not about one. */
  resource: string;
  namespace: string;
  name: string;
  /** HTTP status of the answer; 0 until there is one, or when the connection was broken off instead. */
  status: number;
  /** Milliseconds since 1970 at which the request came. */
  startedAt: number;
  /** From the request to the end of the answer; undefined while it lasts. */
  durationMs: number | undefined;
  userAgent: string;
  accept: string;
  acceptEncoding: string;
}

/** The latest requests, oldest first, bounded. */
export class RequestLog {
  readonly #limit: number;
  #entries: LoggedRequest[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: LoggedRequest): LoggedRequest {
    this.#entries.push(entry);
    // Cut to half at once: shifting an array for each request would copy it each time.
    if (this.#entries.length > this.#limit * 2) this.#entries = this.entries();
    return entry;
  }

  entries(): LoggedRequest[] {
    return this.#entries.slice(-this.#limit);
  }
}
