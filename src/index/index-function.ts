/** Index functions that users write themselves. */
import { FieldOptionsError } from './fields.ts';
import { kindOf } from './kind-of.ts';
import {
  isModuleFunction,
  type ModuleExport,
  type ModuleFunction,
  moduleExportOf,
} from './module-function.ts';

/**
 * Gives the values by which an object is found: none, one or several; each counts once. Runs on the home thread for
 * every change of every object, which has to be decoded for it: some 50 µs for a Pod, where a field path costs the home
 * thread next to nothing. It must depend on the object alone and not change it. When it throws, or gives something else
 * than strings, the object is kept without a value in this index, and the failure is counted.
 */
export type IndexFunction<T = object> = {
  // A method's parameter may be of a narrower type: options for Pods are options for objects, too.
  bivariant(object: T): string | readonly string[] | undefined;
}['bivariant'];

/**
 * An index: a field path, which is evaluated in the worker; a function of a module, which is called there with the parsed
 * object, after `project` and before `transform`; or a function, which is called on the home thread.
 */
export type IndexSpec<T = object> = string | ModuleFunction | IndexFunction<T>;

/** Paths, functions and functions of modules of these indexes. */
export interface SplitIndexers {
  readonly paths: Readonly<Record<string, string>>;
  readonly functions: ReadonlyMap<string, IndexFunction>;
  readonly modules: ReadonlyMap<string, ModuleExport>;
}

/** @throws FieldOptionsError when an index is neither a path nor a function */
export function splitIndexers(indexers: Readonly<Record<string, IndexSpec>>): SplitIndexers {
  const entries = Object.entries(indexers);
  for (const [name, spec] of entries) {
    if (typeof spec === 'string' || typeof spec === 'function' || isModuleFunction(spec)) continue;
    const message = `indexers.${name} is a field path or a function, not ${kindOf(spec)}`;
    throw new FieldOptionsError('FIELD_TYPE', message);
  }
  const isPath = (entry: [string, IndexSpec]): entry is [string, string] => typeof entry[1] === 'string';
  const isFunction = (entry: [string, IndexSpec]): entry is [string, IndexFunction] =>
    typeof entry[1] === 'function';
  const modules = entries.flatMap(([name, spec]) =>
    isModuleFunction(spec) ? [[name, moduleExportOf(`indexers.${name}`, spec)] as const] : [],
  );
  return {
    paths: Object.fromEntries(entries.filter(isPath)),
    functions: new Map(entries.filter(isFunction)),
    modules: new Map(modules),
  };
}

/** Most values of one object in one index that a function gives: more is an error of the function. */
const MAX_VALUES = 0xffff;

/** Longest value, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 0x3fffff;

/** What an index function gave, as a list. @throws TypeError, RangeError when it is none of what is allowed */
export function checkedValues(result: unknown): readonly string[] {
  if (result === undefined || result === null) return [];
  const values: unknown = typeof result === 'string' ? [result] : result;
  if (!Array.isArray(values)) {
    throw new TypeError(
      `an index function gives a string, an array of strings or undefined, not ${kindOf(result)}`,
    );
  }
  if (values.length > MAX_VALUES) {
    throw new RangeError(
      `an index function gives at most ${MAX_VALUES} values for an object, not ${values.length}`,
    );
  }
  for (const value of values) {
    if (typeof value !== 'string') {
      throw new TypeError(`an index function gives strings, and one of these is ${kindOf(value)}`);
    }
    if (value.length > MAX_VALUE_LENGTH) {
      throw new RangeError(
        `a value of an index has at most ${MAX_VALUE_LENGTH} characters, not ${value.length}`,
      );
    }
  }
  return values;
}
