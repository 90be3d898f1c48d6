/** Reading a scan's result as strings. What runs per object reads the words itself. */
import { isUtf8 } from 'node:buffer';
import {
  SCAN_FIELD_WORDS,
  SCAN_FIELDS,
  SCAN_FLAG_ESCAPED_SHIFT,
  SCAN_FLAGS,
  SCAN_IDENTITY,
  SCAN_NAME,
  SCAN_NAMESPACE,
  SCAN_RESOURCE_VERSION,
  SCAN_VALUE_ESCAPED,
} from '../layout/scan.ts';
import type { ScanEngine } from './engine.ts';

/**
 * An identity string of the last result, decoded.
 *
 * @param word - SCAN_NAMESPACE, SCAN_NAME and so on
 */
export function identityText(engine: ScanEngine, word: number): string | undefined {
  const end = engine.resultAt(word + 1);
  if (end === 0) return undefined;
  const slot = (word - SCAN_IDENTITY) / 2;
  const isEscaped = ((engine.resultAt(SCAN_FLAGS) >>> (SCAN_FLAG_ESCAPED_SHIFT + slot)) & 1) === 1;
  return decodeText(engine.bytes, engine.resultAt(word), end, isEscaped);
}

/** The value of field `index` of the last result: a string decoded, anything else as written. */
export function fieldText(engine: ScanEngine, index: number): string {
  const word = SCAN_FIELDS + index * SCAN_FIELD_WORDS;
  const type = (engine.resultAt(word) >>> 8) & 0xff;
  return decodeText(
    engine.bytes,
    engine.resultAt(word + 1),
    engine.resultAt(word + 2),
    type === SCAN_VALUE_ESCAPED,
  );
}

/** `namespace/name` of the last result as far as the scan came, or undefined without a name. */
export function keyText(engine: ScanEngine): string | undefined {
  const name = identityText(engine, SCAN_NAME);
  if (name === undefined) return undefined;
  const namespace = identityText(engine, SCAN_NAMESPACE);
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Whether the last result has a name, and nothing of the key, uid and resourceVersion is invalid UTF-8. */
export function hasReadableIdentity(engine: ScanEngine): boolean {
  if (engine.resultAt(SCAN_NAME + 1) === 0) return false;
  for (let word = SCAN_NAMESPACE; word <= SCAN_RESOURCE_VERSION; word += 2) {
    if (!isUtf8(engine.bytes.subarray(engine.resultAt(word), engine.resultAt(word + 1)))) return false;
  }
  return true;
}

function decodeText(bytes: Buffer, begin: number, end: number, isEscaped: boolean): string {
  const text = bytes.toString('utf8', begin, end);
  return isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
}
