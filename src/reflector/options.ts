import type { IDLE_LIMIT_MS, PAGE_LIMIT, RESPONSE_LIMIT_MS } from './limits.ts';
import type { Clock, DeltaSink, ResourceRef, Transport } from './types.ts';
import type { Selectors } from './urls.ts';

/** What a Reflector needs. */
export interface ReflectorOptions extends Selectors {
  readonly resource: ResourceRef;
  readonly transport: Transport;
  readonly sink: DeltaSink;
  readonly clock: Clock;
  /** Uniform in [0, 1), as Math.random. */
  readonly random: () => number;
  /** Objects per page of a list; 0 asks for lists as a whole. Default {@link PAGE_LIMIT}. */
  readonly pageLimit?: number | undefined;
  /** Longest wait for a response, in milliseconds. Default {@link RESPONSE_LIMIT_MS}. */
  readonly responseMs?: number | undefined;
  /** Longest silence of a watch, in milliseconds; 0 for no limit. Default {@link IDLE_LIMIT_MS}. */
  readonly watchIdleMs?: number | undefined;
}
