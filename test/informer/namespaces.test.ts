import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Harness, thing } from './harness.ts';

describe('an informer of several namespaces', () => {
  it('has one lister for all, and is synced when all are', async () => {
    const harness = new Harness({}, ['a', 'b']);
    harness.list([thing('a/x', 1)], '5');
    harness.work();
    assert.equal(harness.informer.hasSynced, false);
    harness.chooseFeed(1);
    harness.list([thing('b/x', 2), thing('b/y', 3)], '7');
    harness.work();
    await harness.informer.synced;

    assert.deepEqual(harness.informer.lister.keys().sort(), ['a/x', 'b/x', 'b/y']);
    assert.deepEqual(harness.informer.lister.keys({ namespace: 'b' }).sort(), ['b/x', 'b/y']);
    assert.deepEqual(
      harness.informer.feeds.map(({ resource }) => resource.namespace),
      ['a', 'b'],
    );
  });

  it('a relist of one leaves the objects of the others alone', () => {
    const { harness, seen } = synced();
    harness.chooseFeed(0);
    harness.list([thing('a/x', 1)], '10');
    harness.work();

    assert.deepEqual(seen, ['delete a/y']);
    assert.equal(harness.informer.lister.size, 3);
    assert.equal(harness.live.size, 3);
  });

  it('goes on telling of one while another is listed anew', () => {
    const { harness, seen } = synced();
    harness.chooseFeed(0);
    harness.beginList();
    harness.item(thing('a/x', 11));
    harness.work();
    harness.chooseFeed(1);
    harness.modified(thing('b/x', 12));
    harness.work();
    assert.deepEqual(seen, ['update b/x']);
    harness.chooseFeed(0);
    harness.endList('13');
    harness.work();

    assert.deepEqual(seen.slice(1).sort(), ['delete a/y', 'update a/x']);
  });

  it('is at the version that all have', () => {
    const { harness } = synced();
    assert.equal(harness.informer.lister.resourceVersion, '5');
    harness.chooseFeed(0);
    harness.bookmark('9');
    harness.work();
    assert.equal(harness.informer.lister.resourceVersion, '7');
    harness.chooseFeed(1);
    harness.bookmark('100');
    harness.work();

    assert.equal(harness.informer.lister.resourceVersion, '9');
  });

  it('gives a late handler what exists of all, once, while changes of one are held back', async () => {
    const { harness } = synced();
    harness.chooseFeed(0);
    harness.beginList();
    harness.item(thing('a/x', 11));
    harness.work();
    harness.chooseFeed(1);
    harness.modified(thing('b/x', 12));
    harness.work();
    const late: string[] = [];
    harness.informer.addEventHandler({
      onEvent: ({ type, key, resourceVersion }) => void late.push(`${type} ${key} ${resourceVersion}`),
    });
    for (let i = 0; i < 5; i++) await turn();
    harness.modified(thing('b/x', 13));
    harness.work();
    harness.chooseFeed(0);
    harness.item(thing('a/y', 2));
    harness.endList('14');
    harness.work();

    assert.deepEqual(late.slice(0, 4).sort(), ['add a/x 11', 'add a/y 2', 'add b/x 12', 'add b/y 4']);
    assert.deepEqual(late.slice(4), ['update b/x 13']);
  });

  it('resyncs each object once', () => {
    const harness = new Harness({}, ['a', 'b']);
    const again: string[] = [];
    harness.informer.addEventHandler(
      { onEvent: ({ key, isResync }) => void (isResync && again.push(key)) },
      { resyncMs: 1000 },
    );
    fill(harness);
    harness.informer.started();
    for (let passed = 0; passed < 2000; passed += 50) {
      harness.clock.advance(50);
      harness.work();
    }

    assert.deepEqual(again.sort(), ['a/x', 'a/x', 'a/y', 'a/y', 'b/x', 'b/x', 'b/y', 'b/y']);
  });

  it('is as healthy as the worst of them', () => {
    const { harness } = synced();
    const [first, second] = harness.informer.feeds;
    harness.informer.notice({ type: 'state', state: 'watching' }, first);
    harness.informer.notice({ type: 'state', state: 'backingOff' }, second);
    harness.informer.notice({ type: 'error', code: 'forbidden', status: 403, message: 'no' }, second);
    const health = harness.informer.health();

    assert.equal(health.state, 'backingOff');
    assert.equal(health.degraded, true);
    assert.equal(health.synced, true);
    assert.equal(health.lastError?.status, 403);
  });
});

function synced() {
  const harness = new Harness({}, ['a', 'b']);
  const seen: string[] = [];
  harness.informer.addEventHandler({ onEvent: ({ type, key }) => void seen.push(`${type} ${key}`) });
  fill(harness);
  seen.length = 0;
  return { harness, seen };
}

function fill(harness: Harness): void {
  harness.chooseFeed(0);
  harness.list([thing('a/x', 1), thing('a/y', 2)], '5');
  harness.chooseFeed(1);
  harness.list([thing('b/x', 3), thing('b/y', 4)], '7');
  harness.work();
}
