import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { V1Pod } from '@kubernetes/client-node';
import { Tally } from '../../bench/tally.ts';

describe('bench tally', () => {
  it('resolves with the last expected add, and with the last expected update', async () => {
    const tally = new Tally(2, 2);
    tally.addedKey('default/a');
    tally.addedKey('default/bc');
    await tally.listed;
    tally.updatedKey('default/a');
    tally.updatedKey('default/a');
    await tally.updated;

    assert.deepEqual([tally.adds, tally.updates, tally.addSum], [2, 2, 19]);
    assert.ok(tally.lastUpdateMs >= tally.firstUpdateMs);
  });

  it('counts events beyond the expected ones too', () => {
    const tally = new Tally(1, 1);
    for (let i = 0; i < 3; i++) tally.addedKey('default/a');
    for (let i = 0; i < 2; i++) tally.updatedKey('default/a');

    assert.deepEqual([tally.adds, tally.updates], [3, 2]);
  });

  it('adds up resourceVersions of updates, and notices one that goes back or comes twice', () => {
    const tally = new Tally(1, 4);
    for (const version of [1001, 1003, 1002, 1002]) tally.updatedObject(pod(version));

    assert.deepEqual([tally.versionSum, tally.outOfOrder], [4008, 2]);
  });

  it('adds up containers of listed objects', () => {
    const tally = new Tally(2, 1);
    tally.addedObject(pod(1001, 2));
    tally.addedObject(pod(1002, 3));

    assert.equal(tally.addSum, 5);
  });
});

function pod(resourceVersion: number, containers = 1): V1Pod {
  return {
    metadata: { resourceVersion: String(resourceVersion) },
    spec: { containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}` })) },
  };
}
