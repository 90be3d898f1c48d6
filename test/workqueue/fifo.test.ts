import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fifo } from '../../src/workqueue/fifo.ts';

describe('Fifo', () => {
  it('keeps the order while it wraps, grows and shrinks', () => {
    const fifo = new Fifo<number>();
    let pushed = 0;
    let shifted = 0;
    for (const [pushes, shifts] of [
      [10, 5],
      [12, 3],
      [100, 90],
      [1_000, 1_020],
      [5, 8],
    ] as const) {
      for (let i = 0; i < pushes; i++) fifo.push(pushed++);
      for (let i = 0; i < shifts; i++) assert.equal(fifo.shift(), shifted++);
      assert.equal(fifo.size, pushed - shifted);
    }

    assert.equal(fifo.size, 1);
    assert.equal(fifo.shift(), pushed - 1);
    assert.equal(fifo.shift(), undefined);
  });

  it('gives its memory back', () => {
    const fifo = new Fifo<number>();
    for (let i = 0; i < 100_000; i++) fifo.push(i);
    assert.equal(fifo.capacity, 131_072);
    while (fifo.size > 100) fifo.shift();

    assert.equal(fifo.capacity, 256);
    while (fifo.size > 0) fifo.shift();
    assert.equal(fifo.capacity, 16);
  });
});
