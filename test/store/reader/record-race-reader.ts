/** A thread that reads records of a store while another one writes it, makes some anew, and lets dictionaries go. */
import { parentPort, workerData } from 'node:worker_threads';
import { bytePathOf } from '../../../src/index/index.ts';
import { Bodies } from '../../../src/store/bodies.ts';
import { ReleasedObjectError } from '../../../src/store/body-errors.ts';
import type { StoreHandle } from '../../../src/store/reader/handle.ts';
import { StoreReader } from '../../../src/store/reader/store-reader.ts';

export interface RecordRaceData {
  readonly handle: StoreHandle;
  readonly keys: readonly string[];
  /** Not 0 when the writer has ended. */
  readonly stop: Int32Array;
}

/** What a read can give. Only the first three are legal. */
export interface RecordOutcomes {
  same: number;
  newer: number;
  /** A handle that was kept for too long says so. */
  released: number;
  /** Parts of different versions. */
  torn: number;
  older: number;
  other: number;
  /** What else was thrown. */
  readonly failures: string[];
}

/** The content of an object is all made of its number. */
export interface Numbered {
  readonly key: string;
  readonly n: number;
  readonly unique: string;
  /** Strings that another object has, too, so that they are in the dictionary. */
  readonly shared: readonly string[];
}

export const SHARED_STRINGS = 60;

export function numbered(key: string, n: number): Numbered {
  const shared = Array.from(
    { length: SHARED_STRINGS },
    (_, i) => `shared by two: ${(n >> 1) * SHARED_STRINGS + i}`,
  );
  return { key, n, unique: `of ${key} in version ${n}`, shared };
}

if (parentPort !== null) {
  const { handle, keys, stop } = workerData as RecordRaceData;
  const store = new StoreReader(handle);
  const bodies = new Bodies({ segments: store.segments, cacheBytes: 0, freeze: false });
  const outcomes: RecordOutcomes = {
    same: 0,
    newer: 0,
    released: 0,
    torn: 0,
    older: 0,
    other: 0,
    failures: [],
  };
  const seen = new Map<string, number>();
  const path = bytePathOf('shared[59]');
  parentPort.postMessage('ready');
  for (let i = 0; Atomics.load(stop, 0) === 0; i++) {
    try {
      readKey(keys[i % keys.length]!, i % 3);
    } catch (error) {
      if (error instanceof ReleasedObjectError) outcomes.released++;
      else if (outcomes.failures.length < 5) outcomes.failures.push(String(error));
    }
  }
  store.detach();
  parentPort.postMessage(outcomes);

  function readKey(key: string, how: number): void {
    const found = store.find(key);
    if (found === undefined) throw new Error(`${key} is missing`);
    // As a list does it, as a ref that is read at once, and a part of it as a ref does it.
    if (how === 0) note(key, store.read(found, [], (ref) => bodies.decode(ref)) as Numbered);
    else if (how === 1) note(key, bodies.decode(found) as Numbered);
    else if (!/^shared by two: \d+$/.test(String(bodies.valuesAt(found, path)[0]))) outcomes.torn++;
  }

  function note(key: string, object: Numbered): void {
    const wanted = numbered(object.key, object.n);
    const before = seen.get(key) ?? -1;
    if (JSON.stringify(object) !== JSON.stringify(wanted)) outcomes.torn++;
    else if (object.key !== key) outcomes.other++;
    else if (object.n < before) outcomes.older++;
    else if (object.n === before) outcomes.same++;
    else outcomes.newer++;
    seen.set(key, Math.max(before, object.n));
  }
}
