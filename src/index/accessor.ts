/**
 * Compiles field paths to functions on decoded objects, for objects that no scanner saw. No code is
 * generated: each step becomes a closure that calls the next one.
 */
import type { PathStep } from './path-step.ts';

/** Collects the values that a value leads to. */
type Visit = (value: unknown, into: Set<string>) => void;

/**
 * Makes a function that gives an object's values at a path: the same that the scanner takes from its bytes.
 * Strings come as they are, numbers and booleans as text; null, maps and arrays have no value; each value comes
 * once, in the order of the object. Only own properties count.
 *
 * @param steps - from `parseFieldPath`
 */
export function compileAccessor(steps: readonly PathStep[]): (object: unknown) => string[] {
  const visit = steps.reduceRight<Visit>((next, step) => visitStep(step, next), takeValue);
  return (object) => {
    const values = new Set<string>();
    visit(object, values);
    return [...values];
  };
}

function visitStep(step: PathStep, next: Visit): Visit {
  if ('key' in step) return visitKey(step.key, next);
  if ('at' in step) return visitAt(step.at, next);
  if ('where' in step) return visitWhere(step.where, step.is, next);
  return 'each' in step ? visitEach(next) : takeKeys;
}

function visitKey(key: string, next: Visit): Visit {
  return (value, into) => {
    if (isMap(value) && Object.hasOwn(value, key)) next(value[key], into);
  };
}

function visitAt(index: number, next: Visit): Visit {
  return (value, into) => {
    if (Array.isArray(value) && Object.hasOwn(value, index)) next(value[index], into);
  };
}

function visitEach(next: Visit): Visit {
  return (value, into) => {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i++) if (Object.hasOwn(value, i)) next(value[i], into);
  };
}

function visitWhere(key: string, is: string | number | boolean, next: Visit): Visit {
  return visitEach((element, into) => {
    if (isMap(element) && Object.hasOwn(element, key) && element[key] === is) next(element, into);
  });
}

function takeKeys(value: unknown, into: Set<string>): void {
  if (isMap(value)) for (const key of Object.keys(value)) into.add(key);
}

function takeValue(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value);
  else if (typeof value === 'number' || typeof value === 'boolean') into.add(String(value));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
