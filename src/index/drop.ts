/** Projections: what of an object is not kept. */
import { FieldPathError } from './field-path-error.ts';
import { parseFieldPath } from './parse.ts';
import { formatFieldPath, type PathStep } from './path-step.ts';

/** What the scanner cuts out of each object. Made by {@link drop}. */
export interface Projection {
  readonly type: 'drop';
  readonly paths: readonly (readonly PathStep[])[];
}

/** What the cache can't do without: the identity of an object. */
const KEPT = [
  'kind',
  'apiVersion',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
];

/**
 * Leaves fields out of cached objects, for example `project: drop('metadata.managedFields')`, which is half of
 * a typical object. Index functions and columns still see what is dropped.
 *
 * @param paths - field paths of keys and `[*]` that end in a key
 * @throws FieldPathError when a path is wrong, or leads to an object's identity
 */
export function drop(...paths: readonly string[]): Projection {
  return { type: 'drop', paths: paths.map(parseDropPath) };
}

function parseDropPath(path: string): readonly PathStep[] {
  const steps = parseFieldPath(path);
  if (steps.some((step) => 'at' in step || 'keys' in step)) {
    throw refusal(path, 'only keys and [*] can lead to what is dropped');
  }
  if (!('key' in steps.at(-1)!)) throw refusal(path, 'its last step has to be a key, not [*]');
  const written = formatFieldPath(steps);
  const kept = KEPT.find((one) => one === written || one.startsWith(`${written}.`));
  if (kept !== undefined) throw refusal(path, `the cache needs ${kept} of every object`);
  return steps;
}

function refusal(path: string, reason: string): FieldPathError {
  return new FieldPathError('FIELD_PATH_DROP', `${JSON.stringify(path)} can't be dropped: ${reason}`, path);
}
