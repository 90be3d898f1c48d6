import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  SHARD_ENTRY_WORDS_WORD,
  SHARD_LIVE_WORD,
  SHARD_POSTING_WORDS_WORD,
  SHARD_SLOT_CELLS_WORD,
  SHARD_SLOT_END_WORD,
  SHARD_SLOT_WORDS_WORD,
  SHARD_VALUE_BYTES_WORD,
  SHARD_VERSION_WORD,
} from '../../src/layout/shard.ts';
import { compileFence } from '../../src/store/fence.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { RowPool } from '../../src/store/row-pool.ts';
import { remove, SEED, TestArena, touch, upsert } from './indexer-support.ts';

describe('shard', () => {
  it('moves its version by two with every change, and not otherwise', () => {
    const { arena, indexer, control } = make();
    const version = () => control[SHARD_VERSION_WORD]!;
    const first = arena.put({ name: 'a', fields: [{ id: 0, value: 'x' }] });
    const same = arena.put({ name: 'a', fields: [{ id: 0, value: 'x' }] });
    const moved = arena.put({ name: 'a', fields: [{ id: 0, value: 'y' }] });

    for (const one of [first, same, moved]) {
      const before = version();
      upsert(indexer, one);
      assert.equal(version(), before + 2);
    }
    const before = version();
    touch(indexer, first, 9);
    indexer.find('a');
    remove(indexer, arena.put({ name: 'b' }));
    assert.equal(version(), before);
    remove(indexer, first);
    assert.equal(version(), before + 2);
  });

  it('has an odd version whenever its table, slots or index change', ({ mock }) => {
    const { arena, indexer, control } = make();
    const { cells, slots, postings } = indexer.shards[0]!;
    const parities: number[] = [];
    const watch = <Owner extends object>(owner: Owner, method: keyof Owner & string) => {
      const original = owner[method] as (...args: unknown[]) => unknown;
      const watched = (...args: unknown[]) => {
        parities.push(control[SHARD_VERSION_WORD]! & 1);
        return original.apply(owner, args);
      };
      mock.method(owner, method as never, watched as never);
    };
    for (const method of ['insert', 'removeAt', 'grow'] as const) watch(cells, method);
    for (const method of ['take', 'give'] as const) watch(slots, method);
    for (const method of ['set', 'drop'] as const) watch(postings!, method);

    upsert(indexer, arena.put({ name: 'a', fields: [{ id: 0, value: 'x' }] }));
    upsert(indexer, arena.put({ name: 'a', fields: [{ id: 0, value: 'y' }] }));
    remove(indexer, arena.put({ name: 'a' }));

    assert.deepEqual(parities, Array(8).fill(1));
    assert.equal(control[SHARD_VERSION_WORD]! & 1, 0);
  });

  it('lets its version wrap', () => {
    const { arena, indexer, control } = make();
    control[SHARD_VERSION_WORD] = -2;
    upsert(indexer, arena.put({ name: 'a' }));
    assert.equal(control[SHARD_VERSION_WORD], 0);

    control[SHARD_VERSION_WORD] = 0x7ffffffe;
    upsert(indexer, arena.put({ name: 'b' }));
    assert.equal(control[SHARD_VERSION_WORD], -0x80000000);
  });

  it('says in its control area how long its memory is', () => {
    const { arena, indexer, control } = make();
    for (let i = 0; i < 500; i++)
      upsert(indexer, arena.put({ name: `n-${i}`, fields: [{ id: 0, value: `v-${i}` }] }));
    const shard = indexer.shards[0]!;
    const postings = shard.postings!;

    assert.equal(control[SHARD_LIVE_WORD], 500);
    assert.equal(control[SHARD_SLOT_END_WORD], 500);
    assert.equal(control[SHARD_SLOT_CELLS_WORD], shard.cells.cells);
    assert.equal(control[SHARD_SLOT_WORDS_WORD], shard.slots.memory.byteLength / 4);
    assert.equal(control[SHARD_POSTING_WORDS_WORD], postings.rows.memory.byteLength / 4);
    assert.equal(control[SHARD_ENTRY_WORDS_WORD], postings.entries.memory.byteLength / 4);
    assert.equal(control[SHARD_VALUE_BYTES_WORD], postings.values.memory.byteLength);
  });

  it('reads through views that do not track the length of their memory', () => {
    const { arena, indexer } = make();
    const before = indexer.shards[0]!.slots.words;
    const lengthBefore = before.length;
    for (let i = 0; i < 100; i++) upsert(indexer, arena.put({ name: `n-${i}` }));

    assert.equal(before.length, lengthBefore);
    assert.ok(indexer.shards[0]!.slots.words.length > lengthBefore);
  });

  it('refuses an object over a limit and stays as it was', () => {
    const pool = new RowPool({ rowWords: 2, nextFreeWord: 0, initialRows: 1, maxRows: 3, what: 'objects' });
    pool.reserve(3);
    const rows = [pool.take(), pool.take(), pool.take()];

    assert.deepEqual(rows, [0, 1, 2]);
    assert.throws(() => pool.reserve(1), {
      code: 'INDEXER_FULL',
      message: /more than 3 objects; use more shards/,
    });
    pool.give(1);
    pool.reserve(1);
    assert.equal(pool.take(), 1);
  });

  it('has a fence that compiles on every processor', () => {
    assert.doesNotThrow(compileFence());
  });
});

function make(arena = new TestArena()) {
  const { segments } = arena;
  const indexes = [{ name: 'byNode', fieldId: 0 }];
  const indexer = new Indexer({ segments, seed: SEED, shards: 1, indexes });
  return { arena, indexer, control: indexer.shards[0]!.control };
}
