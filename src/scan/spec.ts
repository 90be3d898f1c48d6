import { MAX_FIELD_IDS } from '../layout/block.ts';
import { SCAN_MAX_KEY_BYTES } from '../layout/scan.ts';
import { ScanSpecError } from './errors.ts';

/** One step of a path into an object. */
export type PathStep =
  /** The value of a key. */
  | { readonly key: string }
  /** Each element of an array, `[*]`. */
  | { readonly each: true }
  /** One element of an array, `[0]`. */
  | { readonly at: number }
  /**
   * The elements of an array in which a key has this value. The scanner gives whole elements, from `[*]`; who reads
   * them decides, and takes the rest of the path (see `ScanEngine.filterOf`).
   */
  | { readonly where: string; readonly is: string | number | boolean }
  /** The keys of a map, as strings. Only as the last step. */
  | { readonly keys: true };

/** What a scan takes out of an object besides its identity. */
export interface ScanSpec {
  /** Values to record. Several fields may have one path, and several paths one id. */
  readonly fields: readonly { readonly id: number; readonly path: readonly PathStep[] }[];
  /** Keys to cut out, with their values. Steps are keys and `each`; the last one is a key. */
  readonly drops: readonly (readonly PathStep[])[];
  /**
   * When there are any: keys to keep, with their values, while all other keys of the objects on the way are cut out.
   * Steps as in `drops`, which are cut out of what is kept.
   */
  readonly keeps?: readonly (readonly PathStep[])[];
}

/** Longest path of a spec. The walk goes one call deeper with each step, and nobody needs more. */
export const MAX_PATH_STEPS = 64;

/** @throws ScanSpecError when a path or id is not what {@link ScanSpec} says */
export function checkSpec(spec: ScanSpec): void {
  for (const { id, path } of spec.fields) {
    if (!Number.isInteger(id) || id < 0 || id >= MAX_FIELD_IDS) {
      throw new ScanSpecError(`a field id is an integer from 0 to ${MAX_FIELD_IDS - 1}, not ${id}`);
    }
    checkSteps(path);
  }
  for (const path of spec.drops) checkProjected(path, 'dropped');
  for (const path of spec.keeps ?? []) checkProjected(path, 'kept');
}

function checkProjected(path: readonly PathStep[], verb: 'dropped' | 'kept'): void {
  checkSteps(path);
  if (!path.every((step) => 'key' in step || 'each' in step)) {
    throw new ScanSpecError(
      `${pathText(path)} can't be ${verb}: only keys and [*] can lead to what is ${verb}`,
    );
  }
  const last = path.at(-1);
  if (last === undefined || !('key' in last)) {
    throw new ScanSpecError(`${pathText(path)} can't be ${verb}: a path to what is ${verb} ends in a key`);
  }
}

function checkSteps(path: readonly PathStep[]): void {
  if (path.length > MAX_PATH_STEPS) {
    throw new ScanSpecError(
      `${pathText(path)} has ${path.length} steps, at most ${MAX_PATH_STEPS} are allowed`,
    );
  }
  for (const [index, step] of path.entries()) {
    if ('keys' in step && index !== path.length - 1) {
      throw new ScanSpecError(`${pathText(path)} goes on behind the keys of a map: keys are strings`);
    }
    if ('at' in step && !(Number.isInteger(step.at) && step.at >= 0 && step.at < 2 ** 32)) {
      throw new ScanSpecError(`${pathText(path)} has an index that is no array index`);
    }
    if ('where' in step && path.slice(index + 1).some((later) => !('key' in later || 'at' in later))) {
      throw new ScanSpecError(`${pathText(path)} has more than keys and numbers behind its filter`);
    }
    if ('key' in step && Buffer.byteLength(step.key) > SCAN_MAX_KEY_BYTES) {
      throw new ScanSpecError(`a path has a key of more than ${SCAN_MAX_KEY_BYTES} bytes`);
    }
  }
}

/** A path as people write it, for messages. */
export function pathText(path: readonly PathStep[]): string {
  if (path.length === 0) return 'the empty path';
  const steps = path.map((step) => {
    if ('key' in step) return `[${JSON.stringify(step.key)}]`;
    if ('at' in step) return `[${step.at}]`;
    if ('where' in step) return `[?(@[${JSON.stringify(step.where)}]==${JSON.stringify(step.is)})]`;
    return 'each' in step ? '[*]' : '.keys()';
  });
  return steps.join('');
}
