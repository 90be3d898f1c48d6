/** What the process of a contender needs of a library. */
import type { BenchResource } from '../server/index.ts';
import type { ContenderConfig } from '../suite/protocol.ts';
import type { Lookups } from './lookups.ts';
import type { Tally } from './tally.ts';

/** A library at work: lists and watches resources, and tells a tally what its handlers saw. */
export interface Library {
  /** Resolves when the caches are complete, as far as the library can tell. */
  start(): Promise<void>;
  /** Rejects when a library stops for good, and `start` can't tell. */
  readonly failed?: Promise<never>;
  /** Key and resourceVersion of each object in the caches. */
  cached(): Iterable<readonly [key: string, resourceVersion: string]>;
  /** Missing when no indexes were asked for. */
  readonly lookups?: Lookups;
  /** Events that the handler did not see one by one, because they were merged. */
  readonly merged: number;
  /** Bytes of shared memory that the caches take; undefined for a library that has none. */
  readonly sharedBytes: number | undefined;
  readonly errors: readonly string[];
}

export type MakeLibrary = (config: ContenderConfig, tally: Tally) => Library;

/** All resources to watch. */
export function resourcesOf({ resource, resources }: ContenderConfig): readonly BenchResource[] {
  return resources ?? [resource];
}
