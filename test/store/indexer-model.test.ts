import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Indexer, Upserted } from '../../src/store/indexer.ts';
import {
  allKeys,
  keyOf,
  type Placed,
  randomOf,
  remove,
  SEED,
  TestArena,
  touch,
  upsert,
} from './indexer-support.ts';

const STEPS = 2000;
const NAMES = ['a', 'b', 'käse', '日本', 'web-0', 'web-1', 'x'.repeat(70)];
const VALUES = ['', 'v', 'node-1', 'node-2', 'größe', '\u{1f600}', 'w'.repeat(17), 'w'.repeat(1100)];
const FIELDS = [
  { name: 'byNode', fieldId: 0 },
  { name: 'byOwner', fieldId: 200 },
];

/** An object as the model has it. */
interface Entry {
  placed: Placed;
  sweep: number;
  readonly values: Map<number, Set<string>>;
}

describe('indexer beside a Map', () => {
  for (const shards of [1, 4, 16]) {
    for (const collide of [false, true]) {
      for (const seed of [11, 12]) {
        const hashes = collide ? 'three hashes for all keys' : 'true hashes';
        it(`agrees after random changes (${shards} shards, ${hashes}, seed ${seed})`, () => {
          new Simulation(shards, collide, seed).run();
        });
      }
    }
  }
});

/** Does the same to an Indexer and to a Map, and compares them. */
class Simulation {
  readonly #arena = new TestArena(1 << 23);
  readonly #model = new Map<string, Entry>();
  readonly #indexer: Indexer;
  readonly #collide: boolean;
  readonly #random: (limit: number) => number;
  #sweep = 1;

  constructor(shards: number, collide: boolean, seed: number) {
    const { segments } = this.#arena;
    this.#indexer = new Indexer({ segments, seed: SEED, shards, indexes: FIELDS });
    this.#collide = collide;
    this.#random = randomOf(seed);
  }

  run(): void {
    for (let step = 0; step < STEPS; step++) {
      const choice = this.#random(100);
      if (choice < 55) this.#upsert();
      else if (choice < 80) this.#remove();
      else if (choice < 99) this.#touch();
      else this.#endSweep();
      assert.equal(this.#indexer.size, this.#model.size);
      if (step % 400 === 0) this.#compare();
    }
    this.#compare();
  }

  #upsert(): void {
    const { key, placed, values } = this.#object();
    const before = this.#model.get(key);
    assert.equal(upsert(this.#indexer, placed, this.#sweep), before ? Upserted.updated : Upserted.added);
    if (before) this.#comparePrevious(before);
    this.#model.set(key, { placed, values, sweep: this.#sweep });
  }

  #remove(): void {
    const { key, placed } = this.#object();
    const before = this.#model.get(key);
    assert.equal(remove(this.#indexer, placed), before !== undefined);
    if (before) this.#comparePrevious(before);
    this.#model.delete(key);
  }

  #touch(): void {
    const { key, placed } = this.#object();
    const entry = this.#model.get(key);
    assert.equal(touch(this.#indexer, placed, this.#sweep), entry !== undefined);
    if (entry) entry.sweep = this.#sweep;
  }

  /** Removes what this sweep did not see, with other changes between the slices. */
  #endSweep(): void {
    for (let cursor = 0; cursor !== -1; ) {
      cursor = this.#indexer.sweepUnseen(this.#sweep, cursor, 5, (slot) => {
        const key = this.#indexer.keyOf(slot);
        assert.notEqual(this.#model.get(key)!.sweep, this.#sweep);
        this.#indexer.removeSlot(slot);
        this.#comparePrevious(this.#model.get(key)!);
        this.#model.delete(key);
      });
      this.#upsert();
    }
    for (const { sweep } of this.#model.values()) assert.equal(sweep, this.#sweep);
    this.#sweep++;
  }

  #object(): { key: string; placed: Placed; values: Map<number, Set<string>> } {
    const namespace = ['', 'ns', 'käse'][this.#random(3)]!;
    const name = `${NAMES[this.#random(NAMES.length)]}-${this.#random(20)}`;
    const values = new Map<number, Set<string>>();
    const fields = Array.from({ length: this.#random(6) }, () => {
      const id = [0, 7, 200][this.#random(3)]!;
      const value = VALUES[this.#random(VALUES.length)]!;
      values.set(id, (values.get(id) ?? new Set()).add(value));
      return { id, value };
    });
    const content = { namespace, name, fields };
    const key = keyOf(content);
    const forced = this.#collide ? { lo: 0x80000000, hi: (key.length % 3) * 0x7fffffff } : undefined;
    return { key, placed: this.#arena.put(content, forced), values };
  }

  #comparePrevious({ placed }: Entry): void {
    assert.equal(this.#indexer.previousSegment, placed.segment);
    assert.equal(this.#indexer.previousOffset8, placed.offset8);
    assert.equal(this.#indexer.previousLengthBytes, placed.lengthBytes);
    assert.equal(this.#indexer.previousStamp, placed.stamp);
  }

  #compare(): void {
    assert.deepEqual(allKeys(this.#indexer), [...this.#model.keys()].sort());
    for (const [key, { placed }] of this.#model) {
      const { hashLo, hashHi, segment, offset8 } = placed;
      const slot = this.#indexer.findByHash(hashLo, hashHi, segment, offset8);
      assert.equal(this.#indexer.offset8Of(slot), offset8);
      if (!this.#collide) assert.equal(this.#indexer.find(key), slot);
    }
    for (const { name, fieldId } of FIELDS) {
      const has =
        (value: string) =>
        ([, entry]: [string, Entry]) =>
          entry.values.get(fieldId)?.has(value);
      const keysOf = (value: string) => [...this.#model].filter(has(value)).map(([key]) => key);
      for (const value of VALUES)
        assert.deepEqual(this.#indexer.indexes.keysOf(name, value), keysOf(value).sort());
      const values = VALUES.filter((value) => keysOf(value).length > 0);
      assert.deepEqual(this.#indexer.indexes.valuesOf(name).sort(), values.sort());
    }
  }
}
