import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HandIndexes } from '../../bench/contender/hand-indexes.ts';
import { hashOfCache } from '../../bench/contender/hash.ts';
import { partsOf, twoFieldsOf } from '../../bench/contender/objects.ts';
import { Tally } from '../../bench/contender/tally.ts';
import { resourceOf } from '../../bench/server/index.ts';
import type { ContenderConfig } from '../../bench/suite/protocol.ts';

const CONFIG: ContenderConfig = {
  server: 'http://127.0.0.1:1',
  token: 'token',
  resource: resourceOf('pod'),
  mode: 'keys',
  indexes: false,
  objects: 2,
};

describe('tally of a contender', () => {
  it('is reached when the handler was called so often', async () => {
    const tally = new Tally(CONFIG);
    const reached = tally.reached(2);
    tally.added('default/a', '1001');
    tally.added('default/b', '1002');

    await reached;
    assert.equal(tally.calls, 2);
  });

  it('is reached when the handler saw the version, though it was called less often', async () => {
    const tally = new Tally(CONFIG);
    tally.arm();
    tally.updated('default/a', '1003');

    await tally.reached(10, 1003);
  });

  it('is not reached by a version when events were merged, but counts those as calls', async () => {
    const tally = new Tally(CONFIG);
    tally.arm();
    let merged = 1;
    tally.merged = () => merged;
    tally.updated('default/a', '1003');
    let isReached = false;
    const reached = tally.reached(4, 1003).then(() => {
      isReached = true;
    });
    await Promise.resolve();
    assert.equal(isReached, false);

    merged = 2;
    tally.updated('default/b', '1002');
    await reached;
  });

  it('is not reached by a version with several resources, whose versions come in no order', async () => {
    const tally = new Tally({ ...CONFIG, resources: [resourceOf('custom', 0), resourceOf('custom', 1)] });
    let isReached = false;
    const reached = tally.reached(2, 1003).then(() => {
      isReached = true;
    });
    tally.updated('default/a', '1003');
    await Promise.resolve();
    assert.equal(isReached, false);

    tally.updated('default/b', '1002');
    await reached;
    assert.equal(tally.outOfOrder, 0);
  });

  it('counts calls out of order behind the first list only', () => {
    const tally = new Tally(CONFIG);
    tally.added('default/b', '1002');
    tally.added('default/a', '1001');
    assert.equal(tally.outOfOrder, 0);

    tally.arm();
    tally.updated('default/a', '1004');
    tally.updated('default/b', '1003');
    assert.equal(tally.outOfOrder, 1);
  });
});

describe('hash of a cache', () => {
  it('is the sum that answer.md has as its example, in any order', () => {
    const entries = [
      ['default/web-0', '1004'],
      ['default/web-1', '1003'],
    ] as const;

    assert.deepEqual(hashOfCache(entries), { objects: 2, hash: '6752174070' });
    assert.deepEqual(hashOfCache(entries.toReversed()), { objects: 2, hash: '6752174070' });
    assert.deepEqual(hashOfCache(entries.slice(0, 1)), { objects: 1, hash: '2606614815' });
  });

  it('is 0 for an empty cache', () => {
    assert.deepEqual(hashOfCache([]), { objects: 0, hash: '0' });
  });
});

describe('indexes by hand', () => {
  it('move an object to the value that it has now, and forget one that is gone', () => {
    const indexes = new HandIndexes();
    indexes.set(podOn('a', 'node-1'));
    indexes.set(podOn('b', 'node-1'));
    indexes.set(podOn('a', 'node-2'));
    assert.deepEqual([...indexes.onNode('node-1')], ['default/b']);
    assert.deepEqual([...indexes.onNode('node-2')], ['default/a']);

    indexes.delete(podOn('b', 'node-1'));
    assert.deepEqual(indexes.nodes, ['node-2']);
    assert.deepEqual([...indexes.onNode('node-1')], []);
  });

  it('leave out objects without a value', () => {
    const indexes = new HandIndexes();
    indexes.set({ metadata: { namespace: 'default', name: 'a' } });

    assert.deepEqual(indexes.nodes, []);
  });
});

describe('what handlers read', () => {
  it('is something of each part of an object, and nothing of a part that is not there', () => {
    const pod = {
      metadata: { labels: { app: 'web', tier: 'front' }, managedFields: [{}] },
      spec: { nodeName: 'node-1', containers: [{}, {}] },
      status: { phase: 'Running', conditions: [{}, {}, {}] },
    };
    assert.equal(partsOf(pod), 2 + 1 + 2 + 3);
    assert.equal(twoFieldsOf(pod), 'node-1'.length + 'Running'.length);

    assert.equal(partsOf({ data: { a: '1' } }), 1);
    assert.equal(twoFieldsOf({}), 0);
  });
});

function podOn(name: string, nodeName: string) {
  return { metadata: { namespace: 'default', name }, spec: { nodeName } };
}
