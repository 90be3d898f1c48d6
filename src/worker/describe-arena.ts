/** Says who holds how much of an arena, for the message when it is at a limit. */
import type { Arena } from '../store/index.ts';

/** The largest consumers that are named. */
const NAMED_CONSUMERS = 3;

/**
 * `limit 256 MiB per worker; pods.v1 201 MiB, secrets.v1 40 MiB`.
 *
 * @param source - who found no room
 * @param wantedBytes - for how much
 * @param whose - what the limit of the arena is for
 * @param nameOf - names a source
 */
export function describeArena(
  arena: Arena,
  source: number,
  wantedBytes: number,
  whose: string,
  nameOf: (source: number) => string,
): string {
  const budget = arena.exceededBudget(source, wantedBytes);
  const limit =
    budget === undefined
      ? `limit ${mebibytes(arena.stats.limitBytes)} ${whose}`
      : `limit ${mebibytes(budget.limitBytes)} of this informer`;
  const largest = arena
    .largestConsumers(budget)
    .slice(0, NAMED_CONSUMERS)
    .map((consumer) => `${nameOf(consumer.source)} ${mebibytes(consumer.bytes)}`);
  return `${limit}; ${largest.join(', ')}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(0)} MiB`;
}
