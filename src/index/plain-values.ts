/** Follows field paths through decoded objects, for values of every kind. */
import type { PathStep } from './path-step.ts';

/** The values that a path leads to, in the order of the object. Only own properties count. */
export function plainValues(steps: readonly PathStep[], object: unknown): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap((value) => follow(step, value)), [object]);
}

/** A list of what the step leads to: a value that is a list itself lies in it as one. */
function follow(step: PathStep, value: unknown): unknown[] {
  if ('key' in step) return isMap(value) && Object.hasOwn(value, step.key) ? [value[step.key]] : [];
  if ('keys' in step) return isMap(value) ? Object.keys(value) : [];
  if (!Array.isArray(value)) return [];
  if ('at' in step) return Object.hasOwn(value, step.at) ? [value[step.at]] : [];
  if ('where' in step) return value.filter((element) => isMap(element) && hasValue(element, step));
  return value;
}

function hasValue(element: Record<string, unknown>, { where, is }: Extract<PathStep, { where: string }>) {
  return Object.hasOwn(element, where) && element[where] === is;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
