import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Lease, lease } from '../../src/compat/engines.ts';
import { emptyKubeConfig } from '../list-watch/home.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };

describe('engines of drop-in informers', () => {
  const leases: Lease[] = [];
  afterEach(async () => {
    for (const taken of leases.splice(0)) await taken.release();
  });

  function take(kubeConfig: KubeConfig, resource = PODS, options = {}): Lease {
    const taken = lease({ kubeConfig, resource, options });
    leases.push(taken);
    return taken;
  }

  it('give one informer to all who watch the same', () => {
    const kubeConfig = emptyKubeConfig();
    const first = take(kubeConfig);

    assert.equal(take(kubeConfig).informer, first.informer);
    assert.notEqual(take(kubeConfig, PODS, { labelSelector: 'a=b' }).informer, first.informer);
    assert.notEqual(take(kubeConfig, PODS, { fieldSelector: 'a=b' }).informer, first.informer);
    assert.notEqual(take(kubeConfig, NODES).informer, first.informer);
    assert.notEqual(take(emptyKubeConfig()).informer, first.informer);
  });

  it('know who came last', async () => {
    const kubeConfig = emptyKubeConfig();
    const first = take(kubeConfig);
    const second = take(kubeConfig);
    take(kubeConfig, NODES);
    assert.deepEqual([first.isLatest, second.isLatest], [false, true]);

    await second.release();
    assert.equal(first.isLatest, true);
  });

  it('end an informer with its last lease, and the engine with its last informer', async () => {
    const kubeConfig = emptyKubeConfig();
    const first = take(kubeConfig);
    const second = take(kubeConfig);
    const nodes = take(kubeConfig, NODES);
    await first.release();
    await first.release();
    assert.equal(second.informer.stats.state === 'stopped', false);
    assert.equal(nodes.isLastOfEngine, false);

    await second.release();
    assert.equal(second.informer.stats.state, 'stopped');
    assert.equal(nodes.informer.stats.state === 'stopped', false);
    assert.equal(nodes.isLastOfEngine, true);

    await nodes.release();
    assert.equal(nodes.informer.stats.state, 'stopped');
    assert.notEqual(take(kubeConfig).informer, first.informer);
  });
});
