/** The projection `keep` for objects that no scanner saw. */
import type { PathStep } from '../index/index.ts';
import { isMap } from './errors.ts';

/**
 * What paths lead to, and what is on the way there. The given object stays as it is: what lies on a path is copied, what
 * is kept whole is shared.
 *
 * @param paths - of keys and `[*]` that end in a key, as `keep` makes them; none keeps everything
 */
export function keptPaths(object: object, paths: readonly (readonly PathStep[])[]): object {
  return paths.length === 0 ? object : (kept(object, paths, 0) as object);
}

function kept(value: unknown, paths: readonly (readonly PathStep[])[], at: number): unknown {
  if (paths.some((path) => path.length === at)) return value;
  if (Array.isArray(value)) {
    const each = paths.filter((path) => 'each' in path[at]!);
    // As in bytes: an array is left whole where no path goes into its elements.
    return each.length === 0 ? value : value.map((element) => kept(element, each, at + 1));
  }
  if (!isMap(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [key, child] of Object.entries(value)) {
    const below = paths.filter((path) => isKey(path[at]!, key));
    if (below.length > 0) entries.push([key, kept(child, below, at + 1)]);
  }
  // Unlike an assignment, this makes own properties of all keys, `__proto__` among them.
  return Object.fromEntries(entries);
}

function isKey(step: PathStep, key: string): boolean {
  return 'key' in step && step.key === key;
}
