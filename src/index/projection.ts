/** Projections: what of an object is kept, and what of it can still be read. */
import { FieldPathError } from './field-path-error.ts';
import { parseFieldPath } from './parse.ts';
import { formatFieldPath, type PathStep } from './path-step.ts';

/** What the scanner cuts out of each object. Made by {@link drop} or {@link keep}. */
export interface Projection {
  /** Whether the paths lead to what goes, or to what stays. */
  readonly type: 'drop' | 'keep';
  readonly paths: readonly (readonly PathStep[])[];
}

/** What the cache can't do without: the identity of an object. */
const IDENTITY = [
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

/**
 * Keeps these fields of cached objects and nothing else but their identity (kind, apiVersion and metadata's name,
 * namespace, uid and resourceVersion), for example `project: keep('metadata.labels', 'spec.containers[*].image')`.
 * Index functions and columns still see the whole object. Where a path asks for a key and finds an array, or for
 * `[*]` and finds a map, the array stays as it is and the map becomes empty.
 *
 * @param paths - field paths of keys and `[*]` that end in a key
 * @throws FieldPathError when a path is wrong, or there is none
 */
export function keep(...paths: readonly string[]): Projection {
  if (paths.length === 0)
    throw new FieldPathError('FIELD_PATH_KEEP', 'keep needs a path of what is kept', '');
  return { type: 'keep', paths: [...IDENTITY, ...paths].map((path) => parsePath(path, 'keep')) };
}

/**
 * Whether all that a path looks at is in the objects that a projection leaves. Index functions that were given from the
 * start see more: the whole object.
 */
export function isReadable({ type, paths }: Projection, steps: readonly PathStep[]): boolean {
  for (const place of placesOf(steps)) {
    const covers = (path: readonly PathStep[]) => isPrefix(path, place.steps);
    if (type === 'keep' && !paths.some(covers)) return false;
    if (
      type === 'drop' &&
      paths.some((path) => covers(path) || (place.isMap && isKeyOf(path, place.steps)))
    ) {
      return false;
    }
  }
  return true;
}

function parseDropPath(path: string): readonly PathStep[] {
  const steps = parsePath(path, 'drop');
  const written = formatFieldPath(steps);
  const kept = IDENTITY.find((one) => one === written || one.startsWith(`${written}.`));
  if (kept !== undefined) throw refusal(path, 'drop', `the cache needs ${kept} of every object`);
  return steps;
}

function parsePath(path: string, verb: 'drop' | 'keep'): readonly PathStep[] {
  const steps = parseFieldPath(path);
  if (!steps.every((step) => 'key' in step || 'each' in step)) {
    throw refusal(path, verb, `only keys and [*] can lead to what is ${PARTICIPLES[verb]}`);
  }
  if (!('key' in steps.at(-1)!)) throw refusal(path, verb, 'its last step has to be a key, not [*]');
  return steps;
}

const PARTICIPLES = { drop: 'dropped', keep: 'kept' };

function refusal(path: string, verb: 'drop' | 'keep', reason: string): FieldPathError {
  const code = verb === 'drop' ? 'FIELD_PATH_DROP' : 'FIELD_PATH_KEEP';
  return new FieldPathError(code, `${JSON.stringify(path)} can't be ${PARTICIPLES[verb]}: ${reason}`, path);
}

interface Place {
  /** Keys and `each` only. */
  readonly steps: readonly PathStep[];
  /** All keys of what is there are looked at. */
  readonly isMap: boolean;
}

/** The places that a path looks at: its end, and what a filter compares. */
function placesOf(path: readonly PathStep[]): Place[] {
  const isMap = 'keys' in (path.at(-1) ?? {});
  const steps: PathStep[] = [];
  const places: Place[] = [];
  for (const step of path) {
    if ('keys' in step) break;
    if ('where' in step)
      places.push({ steps: [...steps, { each: true }, { key: step.where }], isMap: false });
    steps.push('key' in step ? step : { each: true });
  }
  return [...places, { steps, isMap }];
}

function isPrefix(path: readonly PathStep[], of: readonly PathStep[]): boolean {
  return path.length <= of.length && path.every((step, index) => isSameStep(step, of[index]!));
}

function isKeyOf(path: readonly PathStep[], map: readonly PathStep[]): boolean {
  return path.length === map.length + 1 && isPrefix(map, path);
}

function isSameStep(a: PathStep, b: PathStep): boolean {
  return 'key' in a ? 'key' in b && a.key === b.key : 'each' in b;
}
