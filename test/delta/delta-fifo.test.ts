import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeletedFinalStateUnknown, DeltaFIFO, DeltaType } from '../../src/delta/index.ts';

interface Thing {
  name: string;
  value?: number;
}

describe('DeltaFIFO', () => {
  it('hands deltas out in the order of arrival', () => {
    const { fifo } = makeFifo();
    fifo.add({ name: 'a', value: 1 });
    fifo.add({ name: 'b', value: 1 });
    fifo.update({ name: 'a', value: 2 });
    fifo.delete({ name: 'b', value: 2 });

    assert.deepEqual(drain(fifo), ['Added a1', 'Added b1', 'Updated a2', 'Deleted b2']);
  });

  it('per-key - hands the deltas of a key out together, at the place of the first', () => {
    const { fifo } = makeFifo('per-key');
    fifo.add({ name: 'a', value: 1 });
    fifo.add({ name: 'b', value: 1 });
    fifo.update({ name: 'a', value: 2 });

    assert.equal(
      fifo.pop(() => {}),
      2,
    );
    assert.deepEqual(drain(fifo), ['Added b1']);
  });

  it('per-key - opens a new entry for a key that was popped', () => {
    const { fifo } = makeFifo('per-key');
    fifo.add({ name: 'a', value: 1 });
    drain(fifo);
    fifo.update({ name: 'a', value: 2 });

    assert.deepEqual(drain(fifo), ['Updated a2']);
  });

  it('per-key - moves nothing across the ends of a streamed Replace', () => {
    const { fifo } = makeFifo('per-key');
    fifo.add({ name: 'a', value: 1 });
    fifo.push(DeltaType.replaceBegin, { name: '' });
    fifo.push(DeltaType.replaced, { name: 'a', value: 2 });
    fifo.push(DeltaType.replaceEnd, { name: '' });
    fifo.update({ name: 'a', value: 3 });

    assert.deepEqual(drain(fifo), ['Added a1', 'ReplaceBegin ', 'Replaced a2', 'ReplaceEnd ', 'Updated a3']);
  });

  it('per-key - collapses two deletes and keeps the one with a real last state', () => {
    const { fifo } = makeFifo('per-key');
    const tombstone = () =>
      new DeletedFinalStateUnknown<Thing>('a', { name: 'a', value: 7 }) as unknown as Thing;
    fifo.delete(tombstone());
    fifo.delete({ name: 'a', value: 1 });
    fifo.delete(tombstone());

    assert.deepEqual(drain(fifo), ['Deleted a1']);
  });

  it('replace - gives Replaced for what the list has and tombstones for what it lost', () => {
    const { fifo, store } = makeFifo();
    store.set('gone', { name: 'gone', value: 1 });
    store.set('stays', { name: 'stays', value: 1 });
    fifo.add({ name: 'queued', value: 1 });
    fifo.replace([{ name: 'stays', value: 2 }]);

    assert.deepEqual(drain(fifo), [
      'Added queued1',
      'Replaced stays2',
      'Tombstone queued1',
      'Tombstone gone1',
    ]);
  });

  it('replace - gives no second tombstone for a key whose delete waits already', () => {
    const { fifo, store } = makeFifo();
    store.set('a', { name: 'a', value: 1 });
    fifo.delete({ name: 'a', value: 1 });
    fifo.replace([]);

    assert.deepEqual(drain(fifo), ['Deleted a1']);
  });

  it('has synced when the first replace was popped, and not before', () => {
    const { fifo } = makeFifo();
    fifo.replace([{ name: 'a' }, { name: 'b' }]);
    assert.equal(fifo.hasSynced, false);
    const flags: boolean[] = [];
    fifo.pop((_, isInitial) => flags.push(isInitial));
    assert.equal(fifo.hasSynced, false);
    fifo.pop((_, isInitial) => flags.push(isInitial));

    assert.equal(fifo.hasSynced, true);
    fifo.add({ name: 'c' });
    fifo.pop((_, isInitial) => flags.push(isInitial));
    assert.deepEqual(flags, [true, true, false]);
  });

  it('has synced at once after an empty replace', () => {
    const { fifo } = makeFifo();
    fifo.replace([]);

    assert.equal(fifo.hasSynced, true);
  });

  it('has synced after the end of a streamed Replace was popped', () => {
    const { fifo } = makeFifo();
    fifo.push(DeltaType.replaceBegin, { name: '' });
    fifo.push(DeltaType.replaceEnd, { name: '' });
    fifo.pop(() => {});
    assert.equal(fifo.hasSynced, false);
    fifo.pop(() => {});

    assert.equal(fifo.hasSynced, true);
  });

  it('resync - gives Sync for what is known and has nothing queued', () => {
    const { fifo, store } = makeFifo();
    store.set('a', { name: 'a', value: 1 });
    store.set('b', { name: 'b', value: 1 });
    fifo.update({ name: 'b', value: 2 });
    fifo.resync();

    assert.deepEqual(drain(fifo), ['Updated b2', 'Sync a1']);
  });

  it('goes on behind a delta whose consumer threw', () => {
    const { fifo } = makeFifo();
    fifo.add({ name: 'a' });
    fifo.add({ name: 'b', value: 1 });
    assert.throws(() => fifo.pop(() => assert.fail('bad consumer')), /bad consumer/);

    assert.deepEqual(drain(fifo), ['Added b1']);
  });

  it('keeps its size right over thousands of entries', () => {
    const { fifo } = makeFifo();
    for (let i = 0; i < 5000; i++) fifo.add({ name: `n${i}` });
    for (let i = 0; i < 3000; i++) fifo.pop(() => {});

    assert.equal(fifo.size, 2000);
    assert.equal(drain(fifo)[0], 'Added n3000');
  });

  it('refuses to replace without knowing what is known', () => {
    const fifo = new DeltaFIFO<Thing>({ keyOf: (thing) => thing.name });

    assert.throws(() => fifo.replace([]), { name: 'TypeError', message: /with `known`/ });
  });
});

function makeFifo(ordering: 'total' | 'per-key' = 'total') {
  const store = new Map<string, Thing>();
  const known = { keys: () => store.keys(), get: (key: string) => store.get(key) };
  return { fifo: new DeltaFIFO<Thing>({ keyOf: (thing) => thing.name, ordering, known }), store };
}

function drain(fifo: DeltaFIFO<Thing>): string[] {
  const seen: string[] = [];
  while (fifo.size > 0) {
    fifo.pop(({ type, object }) => {
      const isTombstone = object instanceof DeletedFinalStateUnknown;
      const thing: Thing = isTombstone ? (object.object as Thing) : object;
      seen.push(`${isTombstone ? 'Tombstone' : type} ${thing.name}${thing.value ?? ''}`);
    });
  }
  return seen;
}
