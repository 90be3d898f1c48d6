import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';
import { CONFIG_MAPS, different, nameOf, type Run } from './libraries.ts';

describe('where client-node ends, an informer', { concurrency: 4 }, () => {
  different(
    'goes on after its connection was reset',
    {
      'client-node': ['add default/a@1001', 'error TypeError', 'watches 0'],
      kubering: ['add default/a@1001', 'error connection-reset', 'update default/a@1002', 'watches 1'],
    },
    async (run) => {
      run.create('a');
      await run.follow().start();
      await run.watchIsOpen();
      run.server.dropConnections('reset');
      run.update('a');
      await run.told(run.name === 'kubering' ? 3 : 2);
      run.log.push(`watches ${run.server.stats.openWatches}`);
    },
  );

  for (const code of [429, 500, 503]) {
    different(
      `goes on after ${code} for a watch, which it tells as well`,
      {
        'client-node': ['add default/a@1001', `error ${code}`, 'watches 0'],
        kubering: ['add default/a@1001', `error ${code}`, 'update default/a@1002', 'watches 1'],
      },
      async (run) => {
        run.create('a');
        await run.follow().start();
        await run.watchIsOpen();
        run.server.faults.add({ fault: 'status', on: 'watch', code, times: 1 });
        run.server.closeWatches();
        run.update('a');
        await run.told(run.name === 'kubering' ? 3 : 2);
        run.log.push(`watches ${run.server.stats.openWatches}`);
      },
    );
  }

  different(
    'goes on after new credentials were needed, and calls nothing an error',
    {
      'client-node': ['add default/a@1001', 'error 401'],
      kubering: ['add default/a@1001', 'update default/a@1002'],
    },
    async (run) => {
      run.create('a');
      await run.follow().start();
      await run.watchIsOpen();
      run.server.faults.add({ fault: 'status', on: 'watch', code: 401, times: 1 });
      run.server.closeWatches();
      run.update('a');
      await run.told(2);
    },
  );

  different(
    'starts by itself when the server comes up',
    {
      'client-node': ['error ECONNREFUSED', 'started', 'lists 0'],
      kubering: ['error connect-failed', 'started', 'lists 1', 'add default/a@1001'],
    },
    async (run) => {
      const { port } = run.server;
      const informer = run.open();
      informer.on('add', (object) => run.log.push(`add ${nameOf(object)}`));
      informer.on('error', (error) => run.log.push(`error ${causeOf(error)}`));
      await run.server.stop();
      await informer.start();
      run.log.push('started');
      const server = await FakeApiServer.start({ seed: 7, port });
      server.create('configmaps', { metadata: { name: 'a' } });
      const lists = () => server.requests.filter(({ verb }) => verb === 'list').length;
      if (run.name === 'kubering') await until('it was listed', () => lists() === 1);
      run.log.push(`lists ${lists()}`);
      if (run.name === 'kubering') await run.told(4);
      await informer.stop();
      await server.stop();
    },
  );
});

describe('otherwise than in client-node, an informer', { concurrency: 4 }, () => {
  different(
    'calls nothing an error when it is stopped',
    { 'client-node': ['error AbortError', 'end'], kubering: ['end'] },
    async (run) => {
      const informer = run.open();
      informer.on('error', (error) => run.log.push(`error ${error.name}`));
      await informer.start();
      await informer.stop();
      await until('the watch is closed', () => run.server.stats.openWatches === 0);
      run.log.push('end');
    },
  );

  different(
    'that is stopped while it lists opens no watch',
    { 'client-node': ['add a', 'watches 1'], kubering: ['watches 0'] },
    async (run) => {
      run.create('a');
      run.server.faults.add({ fault: 'delay', on: 'list', milliseconds: 100 });
      const informer = run.open();
      informer.on('add', (object) => run.log.push(`add ${object.metadata?.name}`));
      const started = informer.start();
      await until('the list was asked for', () => run.server.requests.length === 1);
      await informer.stop();
      await started;
      run.log.push(`watches ${run.server.stats.openWatches}`);
    },
  );

  different(
    'that runs does nothing when it is started again',
    { 'client-node': ['error AbortError', 'watches 2'], kubering: ['watches 1'] },
    async (run) => {
      const informer = run.open();
      informer.on('error', (error) => run.log.push(`error ${error.name}`));
      await informer.start();
      await run.watchIsOpen();
      await informer.start();
      await run.watchIsOpen();
      run.log.push(`watches ${run.server.requests.filter(({ verb }) => verb === 'watch').length}`);
    },
  );

  different(
    'calls connect again after an error, and not for each new connection',
    {
      'client-node': ['connect', 'connect', 'error 503'],
      kubering: ['connect', 'error 503', 'connect'],
    },
    async (run) => {
      const informer = run.open();
      informer.on('connect', () => run.log.push('connect'));
      run.onError(informer, ({ statusCode }) => run.log.push(`error ${statusCode}`));
      await informer.start();
      await run.watchIsOpen();
      run.server.faults.add({ fault: 'status', on: 'watch', code: 503, times: 1 });
      run.server.closeWatches();
      await run.told(3);
    },
  );

  different(
    'tells of an object that was deleted and created again while nobody watched as two',
    {
      'client-node': ['add default/a@1001', 'update default/a@1003'],
      kubering: ['add default/a@1001', 'delete default/a@1001', 'add default/a@1003'],
    },
    async (run) => {
      run.create('a');
      await run.follow().start();
      await run.watchIsOpen();
      run.server.faults.add({ fault: 'status', on: 'watch', code: 410, times: 1 });
      run.server.closeWatches();
      run.delete('a');
      run.create('a');
      run.server.compact();
      await run.told(run.name === 'kubering' ? 3 : 2);
    },
  );

  different(
    'gives plain JSON with kind and apiVersion, from list and watch',
    {
      'client-node': ['undefined object', 'ConfigMap string'],
      kubering: ['ConfigMap string', 'ConfigMap string'],
    },
    async (run) => {
      const informer = run.open();
      informer.on('add', ({ kind, metadata }) =>
        run.log.push(`${kind} ${typeof metadata?.creationTimestamp}`),
      );
      run.create('a');
      await informer.start();
      run.create('b');
      await run.told(2);
    },
  );

  different(
    'does not call the list function, whose selectors it does not know',
    { 'client-node': ['list', 'add a', 'add c'], kubering: ['add a', 'add b', 'add c'] },
    async (run) => {
      run.create('a', 'default', { tier: 'web' });
      run.create('b');
      const kubeConfig = run.server.kubeConfig();
      const api = kubeConfig.makeApiClient(run.library.CoreV1Api);
      const informer = run.library.makeInformer<V1ConfigMap>(kubeConfig, CONFIG_MAPS, () => {
        run.log.push('list');
        return api.listConfigMapForAllNamespaces({ labelSelector: 'tier=web' });
      });
      informer.on('add', (object) => run.log.push(`add ${object.metadata?.name}`));
      await informer.start();
      run.create('c');
      await run.told(3);
      await informer.stop();
    },
  );

  different(
    'that watches the same as another one shares its connection',
    { 'client-node': ['lists 2', 'watches 2', 'add 2'], kubering: ['lists 1', 'watches 1', 'add 2'] },
    async (run) => {
      run.create('a');
      const kubeConfig = run.server.kubeConfig();
      const api = kubeConfig.makeApiClient(run.library.CoreV1Api);
      let adds = 0;
      const informers = [1, 2].map(() =>
        run.library.makeInformer(kubeConfig, CONFIG_MAPS, () => api.listConfigMapForAllNamespaces()),
      );
      for (const informer of informers) {
        informer.on('add', () => adds++);
        await informer.start();
      }
      const expected = run.name === 'kubering' ? 1 : 2;
      await until('watches are open', () => run.server.stats.openWatches === expected);
      run.log.push(`lists ${countOf(run, 'list')}`, `watches ${countOf(run, 'watch')}`, `add ${adds}`);
      assert.deepEqual(
        informers.map((informer) => informer.list().length),
        [1, 1],
      );
      for (const informer of informers) await informer.stop();
    },
  );
});

function countOf({ server }: Run, verb: string): number {
  return server.requests.filter((request) => request.verb === verb).length;
}

/** client-node hides the reason of a list that failed in causes. */
function causeOf(error: { code?: string; cause?: unknown }): string {
  return error.code ?? causeOf(error.cause as { code?: string });
}
