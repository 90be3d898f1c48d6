import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { SharedInformer } from '../../src/informer/index.ts';
import { CHANNELS, traceInformers } from '../../src/metrics/index.ts';
import { Harness, thing } from '../informer/harness.ts';

describe('channels for tracers', () => {
  let harness: Harness;
  let informer: SharedInformer;
  let messages: [channel: string, message: Record<string, unknown>][];

  const keep = (message: unknown, name: string | symbol) =>
    void messages.push([String(name), message as Record<string, unknown>]);

  beforeEach(() => {
    harness = new Harness();
    informer = harness.informer as unknown as SharedInformer;
    messages = [];
    for (const name of Object.values(CHANNELS)) subscribe(name, keep);
  });

  afterEach(() => {
    for (const name of Object.values(CHANNELS)) unsubscribe(name, keep);
  });

  const told = () => messages.map(([name]) => name);

  it('tell of states, connections, the list and its end, with the resource', () => {
    traceInformers([informer]);
    informer.notice({ type: 'state', state: 'listing' });
    informer.notice({ type: 'progress', items: 1, remaining: 0 });
    harness.list([thing('ns/a', 1)], '100');
    harness.work();
    informer.notice({ type: 'state', state: 'watching' });

    assert.deepEqual(told(), [
      'kubering:reflector:state',
      'kubering:reflector:progress',
      'kubering:informer:synced',
      'kubering:reflector:state',
      'kubering:reflector:connect',
    ]);
    const { resource } = informer;
    assert.deepEqual(messages[0]![1], { resource, state: 'listing' });
    assert.deepEqual(messages[1]![1], { resource, items: 1, remaining: 0 });
  });

  it('tell of errors', () => {
    traceInformers([informer]);
    informer.notice({ type: 'error', code: 'forbidden', message: 'no', status: 403 });

    assert.deepEqual(told(), ['kubering:informer:error']);
    assert.equal((messages[0]![1].error as { code: string }).code, 'forbidden');
  });

  it('tell everything once when an informer is traced twice, and nothing after the end', () => {
    const end = traceInformers([informer]);
    traceInformers([informer]);
    informer.notice({ type: 'state', state: 'listing' });
    assert.equal(messages.length, 1);

    end();
    informer.notice({ type: 'state', state: 'watching' });
    assert.equal(messages.length, 1);
  });

  it('can be traced again after the end', () => {
    traceInformers([informer])();
    traceInformers([informer]);
    informer.notice({ type: 'state', state: 'listing' });

    assert.equal(messages.length, 1);
  });
});
