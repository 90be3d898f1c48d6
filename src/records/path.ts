/** Follows a field path through a record, of which nothing else is decoded. */
import type { PathStep } from '../index/index.ts';
import type { RecordWalker } from './walker.ts';

/**
 * Calls `visit` at each value that the path leads to, in the order of the object. A key that occurs twice counts with
 * its last value.
 *
 * @param visitKey - called in place of `visit` for each key that the path leads to, once
 */
export function followPath(
  walker: RecordWalker,
  steps: readonly PathStep[],
  visit: () => void,
  visitKey: (key: string) => void,
): void {
  walker.rewind();
  follow(walker, steps, 0, visit, visitKey);
}

function follow(
  walker: RecordWalker,
  steps: readonly PathStep[],
  index: number,
  visit: () => void,
  visitKey: (key: string) => void,
): void {
  const step = steps[index];
  if (step === undefined) {
    visit();
    return;
  }
  const { kind } = walker;
  if ('key' in step) {
    if (kind === 'object' && walker.enterMember(step.key)) follow(walker, steps, index + 1, visit, visitKey);
  } else if ('keys' in step) {
    if (kind === 'object') for (const key of keysHere(walker)) visitKey(key);
  } else if (kind === 'array') {
    walker.eachElement((position) => {
      if (isWanted(walker, step, position)) follow(walker, steps, index + 1, visit, visitKey);
    });
  }
}

/** Leaves the walker where it is. */
function isWanted(
  walker: RecordWalker,
  step: Exclude<PathStep, { key: string } | { keys: true }>,
  position: number,
): boolean {
  if ('each' in step) return true;
  if ('at' in step) return step.at === position;
  if (walker.kind !== 'object') return false;
  const { at, poolAt } = walker;
  let isEqual = false;
  if (walker.enterMember(step.where)) {
    const { kind } = walker;
    isEqual = kind !== 'object' && kind !== 'array' && walker.value() === step.is;
  }
  walker.at = at;
  walker.poolAt = poolAt;
  return isEqual;
}

function keysHere(walker: RecordWalker): Set<string> {
  const keys = new Set<string>();
  walker.eachMember((key) => keys.add(key));
  return keys;
}
