/** The projection `drop` for objects that no scanner saw. */
import type { PathStep } from '../index/index.ts';
import { isMap } from './errors.ts';

/**
 * An object without what the paths lead to. The given one stays as it is: what lies on a path is copied, everything
 * else is shared.
 *
 * @param paths - of keys and `[*]` that end in a key, as `drop` makes them
 */
export function withoutPaths(object: object, paths: readonly (readonly PathStep[])[]): object {
  let result: unknown = object;
  for (const path of paths) result = without(result, path, 0);
  return result as object;
}

/** The value itself when there is nothing to leave out. */
function without(value: unknown, path: readonly PathStep[], at: number): unknown {
  const step = path[at]!;
  if ('each' in step) return Array.isArray(value) ? withoutInEach(value, path, at + 1) : value;
  if (!('key' in step) || !isMap(value) || !Object.hasOwn(value, step.key)) return value;
  if (at === path.length - 1) {
    const copy = { ...value };
    delete copy[step.key];
    return copy;
  }
  const child = value[step.key];
  const less = without(child, path, at + 1);
  return less === child ? value : { ...value, [step.key]: less };
}

function withoutInEach(
  values: readonly unknown[],
  path: readonly PathStep[],
  at: number,
): readonly unknown[] {
  const less = values.map((value) => without(value, path, at));
  return less.some((value, index) => value !== values[index]) ? less : values;
}
