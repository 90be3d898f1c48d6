/** A thread that reads a store while another one writes it, and counts what it sees. */
import { parentPort, workerData } from 'node:worker_threads';
import { fromOffset8 } from '../../../src/store/arena.ts';
import { blockField, blockKey, blockStamp } from '../../../src/store/block.ts';
import { bodyText } from '../../../src/store/block-body.ts';
import type { BlockRef } from '../../../src/store/block-ref.ts';
import { ReleasedObjectError } from '../../../src/store/body-errors.ts';
import type { StoreHandle } from '../../../src/store/reader/handle.ts';
import { StoreReader } from '../../../src/store/reader/store-reader.ts';

export const KEYS = ['a/one', 'a/two', 'b/one', 'b/two'];
export const VALUES = ['0', '1', '2'];

export interface RaceData {
  readonly handle: StoreHandle;
  /** Not 0 when the writer has ended. */
  readonly stop: Int32Array;
}

/** What a read can give. Only the first three are legal. */
export interface Outcomes {
  absent: number;
  same: number;
  newer: number;
  /** Parts of different versions. */
  torn: number;
  /** An older version than one that was seen before. */
  older: number;
  /** An object that the key or the index value does not belong to. */
  other: number;
}

interface Body {
  readonly key: string;
  readonly n: number;
  readonly again: number;
  readonly padding: string;
}

if (parentPort !== null) {
  const { handle, stop } = workerData as RaceData;
  const store = new StoreReader(handle);
  const outcomes: Outcomes = { absent: 0, same: 0, newer: 0, torn: 0, older: 0, other: 0 };
  const seen = new Map<string, number>();
  parentPort.postMessage('ready');
  for (let i = 0; Atomics.load(stop, 0) === 0; i++) {
    readKey(KEYS[i % KEYS.length]!);
    if (i % 4 === 0) readIndex(VALUES[(i >>> 2) % VALUES.length]!);
    if (i % 64 === 0) readAll();
  }
  store.detach();
  parentPort.postMessage(outcomes);

  function readKey(key: string): void {
    const found = store.find(key);
    const text = found && store.read(found, [], textOf);
    note(text, (body) => body.key === key);
  }

  function readIndex(value: string): void {
    const conditions = store.conditions({ byValue: value });
    store.visit(conditions, (ref) => {
      const text = store.read(ref, conditions, textOf);
      note(text, (body) => String(body.n % VALUES.length) === value);
    });
  }

  function readAll(): void {
    store.visit([], (ref) => note(store.read(ref, [], textOf), () => true));
  }

  function note(text: string | undefined, belongs: (body: Body) => boolean): void {
    if (text === undefined) {
      outcomes.absent++;
      return;
    }
    const [key, value, json] = text.split('\n');
    let body: Body;
    try {
      body = JSON.parse(json!) as Body;
    } catch {
      outcomes.torn++;
      return;
    }
    const isWhole =
      body.key === key && body.n === body.again && /^x*$/.test(body.padding) && String(body.n % 3) === value;
    const before = seen.get(body.key) ?? -1;
    if (!isWhole) outcomes.torn++;
    else if (!belongs(body)) outcomes.other++;
    else if (body.n < before) outcomes.older++;
    else if (body.n === before) outcomes.same++;
    else outcomes.newer++;
    if (isWhole) seen.set(body.key, Math.max(before, body.n));
  }

  /** Key, index value and body, which belong together. */
  function textOf(ref: BlockRef): string {
    const segment = store.segments.find(ref.segment);
    const block = fromOffset8(ref.offset8);
    if (segment === undefined || blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
    let text = '';
    try {
      text = [blockKey(segment, block), blockField(segment, block, 0), bodyText(segment, block)].join('\n');
    } catch {
      // Torn lengths: the stamp says so below.
    }
    if (blockStamp(segment, block) !== ref.stamp) throw new ReleasedObjectError();
    return text;
  }
}
