import { isJsonObject, type JsonObject } from './json.ts';
import { badRequest, failure } from './status.ts';

/** One step of a JSON patch. */
interface PatchStep {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/**
 * A JSON merge patch (RFC 7386): null removes, objects are merged, everything else replaces.
 * The server uses it for strategic merge and server-side apply as well, so lists are always replaced.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}

/** A JSON patch (RFC 6902): add, remove, replace, move, copy, test. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be an array');
  let result: unknown = structuredClone(target);
  for (const step of patch as PatchStep[]) result = applyStep(result, step);
  return result;
}

function applyStep(document: unknown, step: PatchStep): unknown {
  const path = splitPointer(step.path);
  switch (step.op) {
    case 'add':
      return setAt(document, path, step.value, 'add');
    case 'replace':
      valueAt(document, path);
      return setAt(document, path, step.value, 'replace');
    case 'remove':
      return removeAt(document, path);
    case 'copy':
      return setAt(document, path, structuredClone(valueAt(document, splitPointer(step.from))), 'add');
    case 'move': {
      const from = splitPointer(step.from);
      const value = valueAt(document, from);
      return setAt(removeAt(document, from), path, value, 'add');
    }
    case 'test':
      if (JSON.stringify(valueAt(document, path)) === JSON.stringify(step.value)) return document;
      throw unprocessable();
    default:
      throw badRequest(`unknown operation ${JSON.stringify(step.op)} in a JSON patch`);
  }
}

function splitPointer(pointer: string | undefined): string[] {
  if (pointer === '') return [];
  if (pointer === undefined || !pointer.startsWith('/'))
    throw badRequest('a path of a JSON patch starts with /');
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const part of path) {
    if (Array.isArray(value)) value = value[indexOf(part, value.length - 1)];
    else if (isJsonObject(value) && Object.hasOwn(value, part)) value = value[part];
    else throw unprocessable();
  }
  return value;
}

function setAt(document: unknown, path: readonly string[], value: unknown, how: 'add' | 'replace'): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = valueAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(last, parent.length);
    parent.splice(index, how === 'replace' ? 1 : 0, value);
  } else if (isJsonObject(parent)) {
    setOwn(parent, last, value);
  } else {
    throw unprocessable();
  }
  return document;
}

function removeAt(document: unknown, path: readonly string[]): unknown {
  valueAt(document, path);
  const last = path.at(-1);
  if (last === undefined) return undefined;
  const parent = valueAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length - 1), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return document;
}

function indexOf(part: string, max: number): number {
  const index = /^\d+$/.test(part) ? Number(part) : -1;
  if (index < 0 || index > max) throw unprocessable();
  return index;
}

/** An assignment to `__proto__` would change the object's prototype instead of adding a key. */
function setOwn(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The real server does not say which step it was. */
function unprocessable(): Error {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
