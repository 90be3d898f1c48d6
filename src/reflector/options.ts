import type { ConnectBudget } from './connect-budget.ts';
import type { IDLE_LIMIT_MS, PAGE_LIMIT, RESPONSE_LIMIT_MS } from './limits.ts';
import type { ReflectorObserver } from './observer.ts';
import type { Clock, DeltaSink, ResourceRef, Transport } from './types.ts';
import type { Selectors } from './urls.ts';

/**
 * How a Reflector gets the objects that are there.
 *
 * - `list`: with a LIST in pages. Of JSON, a real API server (1.37) delivers a LIST twice as fast as a stream.
 * - `watchList`: with a watch that begins with them (`sendInitialEvents`), which costs the server less memory at a
 *   time. When the server can't do it, or does not say where the initial events end, they are listed.
 * - `auto`: the first time with a list, for then somebody waits; later with a stream, for then many clients of a
 *   server that is in trouble come at the same time.
 */
export type InitialList = 'list' | 'watchList' | 'auto';

/** What a Reflector needs. */
export interface ReflectorOptions extends Selectors {
  readonly resource: ResourceRef;
  readonly transport: Transport;
  readonly sink: DeltaSink;
  readonly clock: Clock;
  /** Uniform in [0, 1), as Math.random. */
  readonly random: () => number;
  /** How the objects that are there are got. Default 'list', which is faster. */
  readonly initialList?: InitialList | undefined;
  /** Objects per page of a list; 0 asks for lists as a whole. Default {@link PAGE_LIMIT}. */
  readonly pageLimit?: number | undefined;
  /** Longest wait for a response, in milliseconds. Default {@link RESPONSE_LIMIT_MS}. */
  readonly responseMs?: number | undefined;
  /** Longest silence of a watch, in milliseconds; 0 for no limit. Default {@link IDLE_LIMIT_MS}. */
  readonly watchIdleMs?: number | undefined;
  /** Longest random delay before the first request, in milliseconds. Default 0. */
  readonly startJitterMs?: number | undefined;
  /**
   * The first list is at the latest state, not at any that a server has cached: the sink may have got newer objects from
   * another reflector before. Default false.
   */
  readonly startsAtLatest?: boolean | undefined;
  /** Shared by all reflectors of a worker that ask the same server; no limit when absent. */
  readonly budget?: ConnectBudget | undefined;
  readonly observer?: ReflectorObserver | undefined;
  /** Media type to ask for. Default 'application/json'. */
  readonly accept?: string | undefined;
  /**
   * Ask for metadata alone (PartialObjectMetadata); `accept` does not count then. Objects come with the kind
   * PartialObjectMetadata, unless the server can't make them. Default false.
   */
  readonly metadataOnly?: boolean | undefined;
  /** How bodies may be compressed. The transport undoes it. Default 'identity': not at all. */
  readonly compression?: 'identity' | 'gzip' | undefined;
}

/** What requests are made of: all but where their answers go. */
export type RequestOptions = Omit<ReflectorOptions, 'sink'>;
