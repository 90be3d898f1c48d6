import type { Random } from './random.ts';
import type { RequestInfo } from './requests.ts';

/** Which requests a fault hits, and how often. */
export interface FaultScope {
  /** Only requests of this kind. Default: all. */
  on?: 'list' | 'watch' | 'get' | 'write';
  /** Only requests for this resource, by its plural. Default: all. */
  resource?: string;
  /** Lets this many matching requests pass first. Default 0. */
  skip?: number;
  /** Hits this many requests, then no more. Default: without limit. */
  times?: number;
  /** Hits a matching request with this probability, drawn from the server's seed. Default 1. */
  probability?: number;
}

/** Where in an answer a fault strikes. With neither, before anything is sent, headers included. */
export interface FaultPlace {
  /** After so many bytes of the body, before compression. */
  afterBytes?: number;
  /** After so many items of a list, or events of a watch. */
  afterItems?: number;
}

/** What goes wrong. */
export type FaultAction =
  /** The connection is closed in the middle. */
  | ({ fault: 'cut' } & FaultPlace)
  /** The connection is reset (RST), as by a crashing proxy. */
  | ({ fault: 'reset' } & FaultPlace)
  /** Nothing more is sent, and the connection stays open: what a dead peer looks like. */
  | ({ fault: 'silence' } & FaultPlace)
  /** The answer starts late. */
  | { fault: 'delay'; milliseconds: number }
  /** An answer with this code. Without a body, the Status that fits; a text body is sent as it is. */
  | { fault: 'status'; code: number; retryAfterSeconds?: number; body?: string; contentType?: string }
  /** 200 with a Status object where a list was asked for. */
  | { fault: 'wrong-content' }
  /** A line that is not JSON, in a watch. */
  | { fault: 'garbage'; afterItems?: number; line?: string }
  /** An event that ends in its middle; the watch goes on in the next line. */
  | { fault: 'truncated'; afterItems?: number }
  /** An ERROR event in a watch that goes on. */
  | { fault: 'error-event'; code: number; reason?: string; afterItems?: number }
  /** An item or event with a byte that is not UTF-8. */
  | { fault: 'invalid-utf8'; afterItems?: number }
  /** An item or event whose object has no `metadata.name`. */
  | { fault: 'nameless'; afterItems?: number }
  /** An event that is left out, in a watch: what no client can notice without asking again. */
  | { fault: 'lost'; afterItems?: number }
  /** Bookmarks are not sent; with WatchList, neither is the one that ends the initial events. */
  | { fault: 'no-bookmarks' };

/** A fault to inject. Plain data, so that it can be sent to a server in another process. */
export type Fault = FaultScope & FaultAction;

/** Faults that change or add an item; they have a place that counts items. */
export type ItemFault = Extract<
  Fault,
  { fault: 'garbage' | 'truncated' | 'error-event' | 'invalid-utf8' | 'nameless' | 'lost' }
>;

/** Faults that end or freeze the connection. */
export type ConnectionFault = Extract<Fault, { fault: 'cut' | 'reset' | 'silence' }>;

interface Rule {
  readonly fault: Fault;
  seen: number;
  hits: number;
}

/** The switchboard: faults are added and removed here while the server runs. */
export class Faults {
  readonly #rules = new Map<number, Rule>();
  readonly #random: Random;
  #nextId = 1;

  /** @internal */
  constructor(random: Random) {
    this.#random = random;
  }

  /** Switches a fault on for the requests that start from now on. @returns its id */
  add(fault: Fault): number {
    const id = this.#nextId++;
    this.#rules.set(id, { fault, seen: 0, hits: 0 });
    return id;
  }

  /** Switches a fault off. */
  remove(id: number): void {
    this.#rules.delete(id);
  }

  /** Switches all faults off. */
  clear(): void {
    this.#rules.clear();
  }

  /** How many requests the fault has hit; 0 when it was removed. */
  hits(id: number): number {
    return this.#rules.get(id)?.hits ?? 0;
  }

  /** The faults that hit this request, each counted. @internal */
  take(request: RequestInfo): RequestFaults | undefined {
    if (this.#rules.size === 0) return undefined;
    const taken: Fault[] = [];
    for (const rule of this.#rules.values()) if (this.#strikes(rule, request)) taken.push(rule.fault);
    return taken.length === 0 ? undefined : new RequestFaults(taken);
  }

  #strikes(rule: Rule, request: RequestInfo): boolean {
    const { on, resource, skip = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = rule.fault;
    if (on !== undefined && on !== kindOf(request)) return false;
    if (resource !== undefined && resource !== request.resource?.resource) return false;
    if (rule.seen++ < skip || rule.hits >= times) return false;
    if (probability < 1 && !this.#random.chance(probability)) return false;
    rule.hits++;
    return true;
  }
}

function kindOf(request: RequestInfo): FaultScope['on'] {
  if (request.verb === 'list' || request.verb === 'watch' || request.verb === 'get') return request.verb;
  return 'write';
}

/** The faults of one request, sorted by when they strike. */
export class RequestFaults {
  readonly #faults: readonly Fault[];
  /** Those with a place that counts items, the next one first. */
  readonly #byItem: (ItemFault | ConnectionFault)[] = [];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
    for (const fault of faults) {
      if (isItemFault(fault) || (isConnectionFault(fault) && fault.afterItems !== undefined)) {
        this.#byItem.push(fault);
      }
    }
    this.#byItem.sort((a, b) => (a.afterItems ?? 0) - (b.afterItems ?? 0));
  }

  /** The first fault of this kind. */
  find<K extends Fault['fault']>(kind: K): Extract<Fault, { fault: K }> | undefined {
    return this.#faults.find((fault) => fault.fault === kind) as Extract<Fault, { fault: K }> | undefined;
  }

  /** The fault that strikes instead of an answer. */
  atOnce(): ConnectionFault | undefined {
    return this.#faults.find(
      (fault): fault is ConnectionFault =>
        isConnectionFault(fault) && fault.afterBytes === undefined && fault.afterItems === undefined,
    );
  }

  /** The fault that strikes first by bytes. */
  byBytes(): ConnectionFault | undefined {
    return this.#faults
      .filter((fault): fault is ConnectionFault => isConnectionFault(fault) && fault.afterBytes !== undefined)
      .sort((a, b) => a.afterBytes! - b.afterBytes!)[0];
  }

  /** How many items may go before the next fault strikes. */
  itemsLeft(sent: number): number {
    const next = this.#byItem[0];
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (next.afterItems ?? 0) - sent);
  }

  /** The fault that strikes now; it won't again. */
  next(): ItemFault | ConnectionFault | undefined {
    return this.#byItem.shift();
  }
}

export function isConnectionFault(fault: Fault): fault is ConnectionFault {
  return fault.fault === 'cut' || fault.fault === 'reset' || fault.fault === 'silence';
}

function isItemFault(fault: Fault): fault is ItemFault {
  switch (fault.fault) {
    case 'garbage':
    case 'truncated':
    case 'error-event':
    case 'invalid-utf8':
    case 'nameless':
    case 'lost':
      return true;
    default:
      return false;
  }
}
