import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DelayHeap } from '../../src/workqueue/delay-heap.ts';
import { DelayedItems } from '../../src/workqueue/delayed-items.ts';
import { randomFrom } from '../reflector/set-up.ts';

const SEEDS = 20;
const STEPS = 3_000;

describe('DelayHeap', () => {
  it('keeps its size in check', () => {
    const heap = new DelayHeap();
    for (let i = 0; i < 1_000; i++) heap.push(i);
    assert.equal(heap.capacity, 1_024);
    while (!heap.isSparse) heap.shift();

    const old = heap.compact();
    assert.equal(old.length, 255);
    assert.equal(heap.capacity, 512);
    assert.equal(heap.firstMs, 745);
  });

  it('has no first time when it is empty', () => {
    assert.equal(new DelayHeap().firstMs, Number.POSITIVE_INFINITY);
  });
});

describe('DelayedItems', () => {
  it('gives its memory back', () => {
    const items = new DelayedItems<number>();
    for (let i = 0; i < 10_000; i++) items.add(i, i, i);
    assert.equal(items.capacity, 16_384);
    while (items.size > 100) items.shiftDue(10_000);

    assert.equal(items.capacity, 256);
    assert.equal(items.shiftDue(10_000), 9_900);
  });

  it(`gives values as a sorted list would, whatever is added, advanced and deleted (seeds 1 to ${SEEDS})`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) compareWithList(seed);
  });
});

interface Waiting {
  readonly key: number;
  readonly value: number;
  readonly timeMs: number;
  readonly sequence: number;
}

/** The number of values grows to some thousand and shrinks to none, twice. */
function compareWithList(seed: number): void {
  const random = randomFrom(seed);
  const items = new DelayedItems<number>();
  const model = new Map<number, Waiting>();
  for (let step = 0; step < STEPS; step++) {
    const isGrowing = Math.floor((4 * step) / STEPS) % 2 === 0;
    const key = Math.floor(random() * STEPS);
    if (random() < (isGrowing ? 0.9 : 0.05)) {
      // Few times, so that many are equal.
      const timeMs = Math.floor(random() * 100);
      items.add(key, step, timeMs);
      const known = model.get(key);
      const isKept = known !== undefined && known.timeMs <= timeMs;
      model.set(key, isKept ? { ...known, value: step } : { key, value: step, timeMs, sequence: step });
    } else if (random() < 0.5) {
      items.delete(key);
      model.delete(key);
    } else {
      assert.equal(items.shiftDue(100), takeFirst(model)?.value, `seed ${seed}, step ${step}`);
    }
    assert.equal(items.size, model.size);
  }
  while (model.size > 0)
    assert.equal(items.shiftDue(100), takeFirst(model)?.value, `seed ${seed}, at the end`);
  assert.equal(items.shiftDue(100), undefined);
}

function takeFirst(model: Map<number, Waiting>): Waiting | undefined {
  let first: Waiting | undefined;
  for (const waiting of model.values()) {
    if (first === undefined || compare(waiting, first) < 0) first = waiting;
  }
  if (first !== undefined) model.delete(first.key);
  return first;
}

function compare(a: Waiting, b: Waiting): number {
  return a.timeMs - b.timeMs || a.sequence - b.sequence;
}
