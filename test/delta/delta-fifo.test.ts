import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeletedFinalStateUnknown, DeltaFIFO, DeltaType, RequeueError } from '../../src/delta/index.ts';

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
      fifo.tryPop(() => {}),
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

  it('per-key - says which of two deletes it dropped', () => {
    const dropped: string[] = [];
    const fifo = new DeltaFIFO<{ key: string; version: number }>({
      keyOf: ({ key }) => key,
      ordering: 'per-key',
      onDropped: ({ version }) => dropped.push(`${version}`),
    });
    fifo.delete({ key: 'a', version: 1 });
    fifo.delete({ key: 'a', version: 2 });

    assert.deepEqual(dropped, ['2']);
    assert.equal(fifo.size, 1);
  });

  it('per-key - collapses two deletes and keeps the one with a real last state', () => {
    const { fifo, store } = makeFifo('per-key');
    store.set('a', { name: 'a', value: 1 });
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
      'Tombstone queued1',
      'Tombstone gone1',
      'Replaced stays2',
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
    fifo.tryPop((_, isInitial) => void flags.push(isInitial));
    assert.equal(fifo.hasSynced, false);
    fifo.tryPop((_, isInitial) => void flags.push(isInitial));

    assert.equal(fifo.hasSynced, true);
    fifo.add({ name: 'c' });
    fifo.tryPop((_, isInitial) => void flags.push(isInitial));
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
    fifo.tryPop(() => {});
    assert.equal(fifo.hasSynced, false);
    fifo.tryPop(() => {});

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
    assert.throws(() => fifo.tryPop(() => assert.fail('bad consumer')), /bad consumer/);

    assert.deepEqual(drain(fifo), ['Added b1']);
  });

  it('keeps its size right over thousands of entries', () => {
    const { fifo } = makeFifo();
    for (let i = 0; i < 5000; i++) fifo.add({ name: `n${i}` });
    for (let i = 0; i < 3000; i++) fifo.tryPop(() => {});

    assert.equal(fifo.size, 2000);
    assert.equal(drain(fifo)[0], 'Added n3000');
  });

  it('refuses to replace or resync without knowing what is known', () => {
    const fifo = new DeltaFIFO<Thing>({ keyOf: (thing) => thing.name });

    assert.throws(() => fifo.replace([]), { name: 'TypeError', message: /with `known`/ });
    assert.throws(() => fifo.resync(), { name: 'TypeError', message: /with `known`/ });
  });

  it('replace - gives the newest queued state of what was only queued, and wraps no tombstone in another', () => {
    const { fifo } = makeFifo();
    fifo.add({ name: 'a', value: 1 });
    fifo.update({ name: 'a', value: 2 });
    fifo.replace([]);
    fifo.replace([]);

    assert.deepEqual(drain(fifo), ['Added a1', 'Updated a2', 'Tombstone a2']);
  });

  it('replace - gives what is queued and known only once', () => {
    const { fifo, store } = makeFifo();
    store.set('a', { name: 'a', value: 1 });
    fifo.update({ name: 'a', value: 2 });
    fifo.replace([]);

    assert.deepEqual(drain(fifo), ['Updated a2', 'Tombstone a2']);
  });

  it('resync - makes up nothing for what is not known', () => {
    const { fifo } = makeFifo();
    fifo.resync();

    assert.equal(fifo.size, 0);
  });

  it('keeps every delta of a key, also two deletes, and those of what nobody knows', () => {
    const { fifo } = makeFifo();
    fifo.delete({ name: 'a', value: 1 });
    fifo.delete({ name: 'a', value: 2 });

    assert.deepEqual(drain(fifo), ['Deleted a1', 'Deleted a2']);
  });

  it('per-key - drops the delete of what is neither known nor queued', () => {
    const { fifo } = makeFifo('per-key');
    fifo.delete({ name: 'a', value: 1 });
    fifo.add({ name: 'b', value: 1 });
    fifo.delete({ name: 'b', value: 2 });

    assert.deepEqual(drain(fifo), ['Added b1', 'Deleted b2']);
  });

  it('tells what waits, by key and as a list of newest objects', () => {
    for (const ordering of ['total', 'per-key'] as const) {
      const { fifo } = makeFifo(ordering);
      fifo.add({ name: 'a', value: 1 });
      fifo.add({ name: 'b', value: 1 });
      fifo.push(DeltaType.bookmark, { name: '' });
      fifo.update({ name: 'a', value: 2 });

      assert.deepEqual(fifo.listKeys(), ['a', 'b']);
      assert.deepEqual(fifo.list(), [
        { name: 'a', value: 2 },
        { name: 'b', value: 1 },
      ]);
      assert.deepEqual(
        fifo.getByKey('a')?.map(({ type, object }) => `${type} ${object.value}`),
        ['Added 1', 'Updated 2'],
      );
      assert.deepEqual(fifo.get({ name: 'b' }), [{ type: 'Added', object: { name: 'b', value: 1 } }]);
      assert.equal(fifo.getByKey('c'), undefined);
      drain(fifo);
      assert.deepEqual(fifo.listKeys(), []);
    }
  });

  describe('hasSynced', () => {
    const cases: [string, (fifo: DeltaFIFO<Thing>) => void, boolean][] = [
      ['nothing', () => {}, false],
      ['a bookmark', (fifo) => fifo.push(DeltaType.bookmark, { name: '' }), false],
      ['a change', (fifo) => fifo.add({ name: 'a' }), true],
      ['an empty replace', (fifo) => fifo.replace([]), true],
      ['a replace', (fifo) => fifo.replace([{ name: 'a' }, { name: 'b' }]), false],
      ['a change and a replace', changeAndReplace, true],
    ];
    for (const [what, act, expected] of cases) {
      it(`is ${expected} after ${what}`, () => {
        const { fifo } = makeFifo();
        act(fifo);

        assert.equal(fifo.hasSynced, expected);
      });
    }

    for (const ordering of ['total', 'per-key'] as const) {
      it(`${ordering} - waits for all of the first replace, whatever comes for the same keys meanwhile`, () => {
        const { fifo } = makeFifo(ordering);
        fifo.replace([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
        fifo.delete({ name: 'a' });
        const synced: boolean[] = [];
        while (fifo.tryPop(() => {}) > 0) synced.push(fifo.hasSynced);

        assert.deepEqual(synced.slice(0, 3), [false, false, true]);
      });
    }

    it('stays true when a later replace waits', () => {
      const { fifo } = makeFifo();
      fifo.replace([]);
      fifo.replace([{ name: 'a' }]);

      assert.equal(fifo.hasSynced, true);
    });
  });

  describe('pop', () => {
    it('waits for something to come', async () => {
      const { fifo } = makeFifo();
      const seen: string[] = [];
      const popped = fifo.pop(({ object }) => void seen.push(object.name));
      fifo.add({ name: 'a' });

      assert.equal(await popped, 1);
      assert.deepEqual(seen, ['a']);
    });

    it('waits for the promise of its consumer, and gives nothing to another one meanwhile', async () => {
      const { fifo } = makeFifo();
      const gate = Promise.withResolvers<void>();
      const seen: string[] = [];
      fifo.replace([{ name: 'a' }, { name: 'b' }]);
      const first = fifo.pop(async ({ object }) => {
        await gate.promise;
        seen.push(object.name);
      });
      const second = fifo.pop(({ object }, isInitial) => void seen.push(`${object.name} ${isInitial}`));
      assert.equal(
        fifo.tryPop(() => {}),
        0,
      );
      assert.equal(fifo.hasSynced, false);
      gate.resolve();
      await Promise.all([first, second]);

      assert.deepEqual(seen, ['a', 'b true']);
      assert.equal(fifo.hasSynced, true);
    });

    it('ends with its signal, and takes nothing', async () => {
      const { fifo } = makeFifo();
      const abort = new AbortController();
      const popped = fifo.pop(() => {}, { signal: abort.signal });
      abort.abort(new Error('enough'));
      await assert.rejects(popped, /enough/);
      fifo.add({ name: 'a' });
      await assert.rejects(
        fifo.pop(() => {}, { signal: abort.signal }),
        /enough/,
      );

      assert.equal(fifo.size, 1);
    });

    it('is woken by close, when all that waits was popped', async () => {
      const { fifo } = makeFifo();
      const waiting = [fifo.pop(() => {}), fifo.pop(() => {})];
      fifo.close();
      fifo.close();

      for (const popped of waiting) await assert.rejects(popped, { name: 'FIFOClosedError' });
      assert.equal(fifo.isClosed, true);
    });

    it('hands out what waited when the queue was closed, and nothing can be added', async () => {
      const { fifo } = makeFifo();
      fifo.add({ name: 'a' });
      fifo.close();
      assert.throws(() => fifo.add({ name: 'b' }), { code: 'KUBERING_FIFO_CLOSED' });

      assert.equal(await fifo.pop(() => {}), 1);
      await assert.rejects(
        fifo.pop(() => {}),
        { code: 'KUBERING_FIFO_CLOSED' },
      );
    });

    it('rejects with what its consumer threw, and the delta is gone', async () => {
      const { fifo } = makeFifo();
      fifo.add({ name: 'a' });
      fifo.add({ name: 'b', value: 1 });
      await assert.rejects(
        fifo.pop(async () => {
          throw new Error('bad consumer');
        }),
        /bad consumer/,
      );

      assert.deepEqual(drain(fifo), ['Added b1']);
    });
  });

  describe('a consumer that asks for the same delta again', () => {
    const again = () => {
      throw new RequeueError(new Error('not now'));
    };

    it('gets it first, before what came later, and is told why', async () => {
      const { fifo } = makeFifo();
      fifo.replace([{ name: 'a', value: 1 }]);
      fifo.update({ name: 'b', value: 1 });
      assert.throws(() => fifo.tryPop(again), { name: 'RequeueError', message: /again: not now$/ });
      assert.equal(fifo.hasSynced, false);
      await assert.rejects(fifo.pop(again), { code: 'KUBERING_REQUEUE' });

      assert.deepEqual(drain(fifo), ['Replaced a1', 'Updated b1']);
      assert.equal(fifo.hasSynced, true);
    });

    it('per-key - gets the rest of the key’s deltas, and those that came meanwhile behind them', () => {
      const { fifo } = makeFifo('per-key');
      for (const value of [1, 2, 3]) fifo.update({ name: 'a', value });
      fifo.update({ name: 'b', value: 1 });
      assert.throws(
        () =>
          fifo.tryPop(({ object }) => {
            if (object.value !== 2) return;
            fifo.update({ name: 'a', value: 4 });
            again();
          }),
        RequeueError,
      );

      assert.deepEqual(drain(fifo), ['Updated a2', 'Updated a3', 'Updated a4', 'Updated b1']);
    });

    it('per-key - what fails without asking is gone alone, the rest of its key is not', () => {
      const { fifo } = makeFifo('per-key');
      for (const value of [1, 2, 3]) fifo.update({ name: 'a', value });
      assert.throws(() =>
        fifo.tryPop(({ object }) => {
          if (object.value === 2) throw new Error('bad');
        }),
      );

      assert.deepEqual(drain(fifo), ['Updated a3']);
    });

    it('per-key - nothing that waits behind a barrier moves before it', () => {
      const { fifo } = makeFifo('per-key');
      fifo.update({ name: 'a', value: 1 });
      fifo.push(DeltaType.bookmark, { name: '' });
      fifo.update({ name: 'a', value: 2 });
      assert.throws(() => fifo.tryPop(again), RequeueError);

      assert.deepEqual(drain(fifo), ['Updated a1', 'Bookmark ', 'Updated a2']);
    });
  });
});

function changeAndReplace(fifo: DeltaFIFO<Thing>): void {
  fifo.add({ name: 'a' });
  fifo.replace([{ name: 'a' }]);
}

function makeFifo(ordering: 'total' | 'per-key' = 'total') {
  const store = new Map<string, Thing>();
  const known = { keys: () => store.keys(), get: (key: string) => store.get(key) };
  return { fifo: new DeltaFIFO<Thing>({ keyOf: (thing) => thing.name, ordering, known }), store };
}

function drain(fifo: DeltaFIFO<Thing>): string[] {
  const seen: string[] = [];
  while (fifo.size > 0) {
    fifo.tryPop(({ type, object }) => {
      const isTombstone = object instanceof DeletedFinalStateUnknown;
      const thing: Thing = isTombstone ? (object.object as Thing) : object;
      seen.push(`${isTombstone ? 'Tombstone' : type} ${thing.name}${thing.value ?? ''}`);
    });
  }
  return seen;
}
