/** The handler of libraries that hand out whole objects, in each mode. */
import type { ContenderConfig } from '../suite/protocol.ts';
import { HandIndexes } from './hand-indexes.ts';
import { type BenchObject, keyOf, partsOf, twoFieldsOf, versionOf } from './objects.ts';
import type { Tally } from './tally.ts';

export interface ObjectHandler {
  added(object: BenchObject): void;
  updated(object: BenchObject): void;
  deleted(object: BenchObject): void;
  /** Kept when they were asked for. */
  readonly indexes: HandIndexes | undefined;
}

export function objectHandler({ mode, indexes }: ContenderConfig, tally: Tally): ObjectHandler {
  const kept = indexes ? new HandIndexes() : undefined;
  const look: (object: BenchObject) => void =
    mode === 'two-fields'
      ? (object) => {
          tally.sum += twoFieldsOf(object);
        }
      : mode === 'decode-all'
        ? (object) => {
            tally.sum += partsOf(object);
          }
        : () => {};
  return {
    added(object) {
      look(object);
      kept?.set(object);
      tally.added(keyOf(object), versionOf(object));
    },
    updated(object) {
      look(object);
      kept?.set(object);
      tally.updated(keyOf(object), versionOf(object));
    },
    deleted(object) {
      look(object);
      kept?.delete(object);
      tally.deleted(keyOf(object), versionOf(object));
    },
    indexes: kept,
  };
}
