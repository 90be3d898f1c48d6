import { isDeepStrictEqual } from 'node:util';

type JsonObject = Record<string, unknown>;

/**
 * The JSON merge patch (RFC 7386) that makes `after` of `before`. What is undefined or null in `after` is removed,
 * lists are replaced.
 *
 * @returns undefined when nothing differs
 */
export function mergePatch(before: object, after: object): object | undefined {
  const from = before as JsonObject;
  const to = after as JsonObject;
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const change = changeOf(own(from, key), own(to, key));
    // An assignment to `__proto__` would set the patch's prototype instead of a key.
    if (change !== undefined) Object.defineProperty(patch, key, { value: change, enumerable: true });
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function changeOf(before: unknown, after: unknown): unknown {
  if (after === undefined || after === null)
    return before === undefined || before === null ? undefined : null;
  if (isJsonObject(before) && isJsonObject(after)) return mergePatch(before, after);
  return isDeepStrictEqual(before, after) ? undefined : after;
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
