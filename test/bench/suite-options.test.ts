import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { contendersNamed, memorySuffices, portIsFree } from '../../bench/suite/checks.ts';
import { readOptions } from '../../bench/suite/options.ts';
import { planOf } from '../../bench/suite/plan.ts';
import { optionsOf, simpleContender } from './suite/fixtures.ts';

describe('bench options', () => {
  it('are 10,000 and 50,000 Pods, three samples and all scenarios but the real server when nothing is said', () => {
    const { selection } = optionsOf();
    assert.deepEqual(selection.objects, [10_000, 50_000]);
    assert.equal(selection.samples, 3);
    assert.deepEqual(selection.scenarios, [
      'list',
      'events',
      'latency',
      'relist',
      'mixed',
      'many',
      'slow-handler',
    ]);
  });

  it('take lists, repeated or with commas, and thousands as k', () => {
    const { selection } = optionsOf('--objects', '2k,500', '--scenario', 'list', '--scenario', 'events,list');
    assert.deepEqual(selection.objects, [500, 2000]);
    assert.deepEqual(selection.scenarios, ['list', 'events']);
  });

  it('are all sizes and five samples in full', () => {
    const { selection } = optionsOf('--full');
    assert.deepEqual(selection.objects, [10_000, 50_000, 100_000, 1_000_000]);
    assert.equal(selection.samples, 5);
  });

  it('can be asked for help', () => {
    assert.equal(readOptions(['--help', '--scenario', 'nonsense']), undefined);
  });

  for (const [args, message] of [
    [['--scenario', 'lists'], /there is no scenario 'lists'; there are list, events/],
    [['--kind', 'secret'], /no objects of kind 'secret'; there are pod, custom, configmap100k/],
    [['--objects', '1e4'], /--objects is a whole number from 1 on, not '1e4'/],
    [['--samples', '0'], /--samples is a whole number from 1 on/],
    [['--events', '1'], /--events is a whole number from 2 on/],
    [['--sizes', '5'], /--sizes/],
  ] as const) {
    it(`are refused: ${args.join(' ')}`, () => {
      assert.throws(() => readOptions(args), { code: 'ERR_BENCH_OPTIONS', message });
    });
  }
});

describe('bench checks', () => {
  const all = [simpleContender('kubering'), simpleContender('client-node')];

  it('name the contenders that there are when one is unknown', () => {
    assert.throws(() => contendersNamed(['kube-go'], all), {
      code: 'ERR_BENCH_OPTIONS',
      message: "there is no contender 'kube-go'; there are kubering, client-node",
    });
    assert.deepEqual(contendersNamed(['client-node'], all), [all[1]]);
    assert.deepEqual(contendersNamed([], all), all);
  });

  it('say how much memory is missing, and for whom, before anything is started', () => {
    const { steps } = planOf(optionsOf('--objects', '50k').selection, all);
    assert.throws(() => memorySuffices(steps, 2e9), {
      code: 'ERR_BENCH_CANNOT_RUN',
      message: /50000 objects need some 3.3 GB with client-node, and 2.0 GB are free: .*--objects/,
    });
    memorySuffices(steps, 4e9);
  });

  it('find a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await assert.rejects(portIsFree(port), { code: 'ERR_BENCH_CANNOT_RUN', message: /EADDRINUSE/ });
    await once(server.close(), 'close');

    await portIsFree(port);
    await portIsFree(0);
  });
});
