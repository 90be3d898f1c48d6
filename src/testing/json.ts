/** JSON as an API server written in Go sends it: numbers exact, keys of maps sorted, HTML characters escaped. */

/** Parts of JSON that TypeScript's library does not declare yet (Node has them since 21). */
interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
const exactJson = JSON as unknown as ExactJson;

/**
 * A number that may not fit a double, behind a key or in an array: only then is the slow, exact way of parsing
 * needed. What looks like one inside a text costs time and no more.
 */
const LONG_NUMBER = /(?:"\s*:|[[,])\s*-?\d(?:\d{15}|\d*[.eE])/;

const HTML_CHARACTER = /[<>&\u2028\u2029]/;
const HTML_CHARACTERS = /[<>&\u2028\u2029]/g;

/** An object as JSON gives it. */
export type JsonObject = Record<string, unknown>;

/** True for what JSON calls an object: no array, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses without losing digits: numbers that a double would change keep their text when printed again. */
export function parseExact(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return exactJson.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    return String(value) === context.source ? value : exactJson.rawJSON(context.source);
  });
}

/** Prints as Go's encoder does, which escapes what HTML would see. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value);
  return HTML_CHARACTER.test(text) ? text.replace(HTML_CHARACTERS, escapeCharacter) : text;
}

/** The same value with all keys in alphabetical order, as custom resources are sent. */
export function sortKeysDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeysDeep);
  if (!isJsonObject(value) || exactJson.isRawJSON(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeysDeep(value[key]);
  return sorted;
}

/** The same map with its keys in alphabetical order, as Go prints maps. */
export function sortKeys(map: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(map).sort()) sorted[key] = map[key];
  return sorted;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
