import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Handler } from '../../src/informer/handlers.ts';
import { Harness, type Thing, thing } from './harness.ts';

describe('a copy of a block, made by a worker to free memory', () => {
  it('takes the place of the block: the object is the same, and the block is given back', () => {
    const harness = synced();
    const before = harness.informer.lister.get('a/x');
    const block = harness.blockOf('a/x');
    harness.move(block);

    assert.notEqual(harness.blockOf('a/x').offset8, block.offset8);
    assert.equal(harness.informer.lister.get('a/x'), before, 'what was decoded stays decoded');
    assert.equal(harness.informer.stats.decoded, 1);
    assert.equal(harness.informer.stats.moves, 1);
    assert.equal(harness.live.size, 2);
  });

  it('is found by key, index and column as the block was, and told to no handler', () => {
    const seen: string[] = [];
    const harness = synced({ onEvent: ({ type, key }) => void seen.push(`${type} ${key}`) });
    harness.move(harness.blockOf('a/x'));
    harness.work();

    const { lister } = harness.informer;
    assert.deepEqual(lister.indexKeys('node', 'n1'), ['a/x']);
    assert.equal(lister.ref('a/x')!.column('node'), 'n1');
    assert.deepEqual(lister.get('a/x'), {
      kind: 'Thing',
      apiVersion: 'v1',
      ...thing('a/x', 1, { node: 'n1' }),
    });
    assert.deepEqual(seen, ['add a/x', 'add a/y']);
  });

  it('is dropped when the object has another block by now, or none', () => {
    const harness = synced();
    const replaced = harness.blockOf('a/x');
    const gone = harness.blockOf('a/y');
    harness.modified(thing('a/x', 3));
    harness.deleted(thing('a/y', 4));
    // Copied while they were current; the copies come when the changes are in the store.
    const release = harness.holdReleases();
    harness.work();
    harness.move(replaced);
    harness.move(gone);
    release();

    assert.equal(harness.informer.stats.moves, 0);
    assert.equal(harness.informer.lister.get('a/x')!.metadata.resourceVersion, '3');
    assert.equal(harness.live.size, 1);
  });

  it('is dropped while the block waits in the queue', () => {
    const harness = synced();
    harness.modified(thing('a/x', 3));
    const queued = [...harness.live.values()].at(-1)!;
    harness.move(queued);
    harness.work();

    assert.equal(harness.informer.lister.get('a/x')!.metadata.resourceVersion, '3');
    assert.equal(harness.informer.stats.moves, 0);
    assert.equal(harness.live.size, 2);
  });

  it('is dropped while a handler still has to see the block', async () => {
    const gate = Promise.withResolvers<void>();
    const values: string[] = [];
    const harness = synced({
      async onEvent(event) {
        await gate.promise;
        values.push(event.object.metadata.name);
      },
    });
    harness.move(harness.blockOf('a/x'));
    assert.equal(harness.informer.stats.moves, 0);
    gate.resolve();
    while (values.length < 2) await turn();
    await turn();

    assert.deepEqual(values, ['x', 'y']);
    harness.move(harness.blockOf('a/x'));
    assert.equal(harness.informer.stats.moves, 1);
  });

  it('is dropped while a change to the block was stored and not told', () => {
    const seen: string[] = [];
    const harness = synced({
      onEvent: ({ type, object }) => void seen.push(`${type} ${object.metadata.name}`),
    });
    harness.beginList();
    harness.item(thing('a/x', 5));
    harness.workSlices(3);
    harness.move(harness.blockOf('a/x'));
    assert.equal(harness.informer.stats.moves, 0);
    harness.item(thing('a/y', 2));
    harness.endList('6');
    harness.work();

    assert.deepEqual(seen, ['add x', 'add y', 'update x']);
    assert.equal(harness.live.size, 2);
  });

  it('comes to the feed of its namespace', () => {
    const harness = new Harness({}, ['a', 'b']);
    for (const [index, namespace] of ['a', 'b'].entries()) {
      harness.chooseFeed(index);
      harness.list([thing(`${namespace}/x`, 1)], '2');
    }
    harness.work();
    harness.chooseFeed(1);
    harness.move(harness.blockOf('b/x'));

    assert.equal(harness.informer.stats.moves, 1);
    assert.equal(harness.live.size, 2);
  });
});

describe('memory of an informer', () => {
  it('is told by kind, and follows what is in the cache', () => {
    const harness = synced();
    const before = harness.informer.memory();
    assert.equal(
      before.bodyBytes,
      [...harness.live.values()].reduce((sum, { lengthBytes }) => sum + lengthBytes, 0),
    );
    assert.ok(before.tableBytes > 0 && before.indexBytes > 0);
    assert.deepEqual([before.heldBytes, before.decodedBytes, before.limitBytes], [0, 0, undefined]);
    harness.informer.lister.get('a/x');
    harness.deleted(thing('a/y', 3));
    harness.work();

    const after = harness.informer.memory();
    const [left] = harness.live.values();
    assert.equal(after.bodyBytes, left!.lengthBytes);
    assert.equal(after.decodedBytes, left!.lengthBytes);
  });
});

function synced(handler?: Handler<Thing>): Harness {
  const harness = new Harness();
  if (handler !== undefined) harness.informer.addEventHandler(handler);
  harness.list([thing('a/x', 1, { node: 'n1' }), thing('a/y', 2)], '2');
  harness.work();
  return harness;
}
