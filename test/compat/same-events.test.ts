import { describe } from 'node:test';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { CONFIG_MAPS, nameOf, same } from './libraries.ts';

describe('as client-node, an informer', { concurrency: 4 }, () => {
  same(
    'tells of what exists before start() resolves, and then of each change',
    [
      'add default/a@1001',
      'add default/b@1002',
      'started',
      'add default/c@1003',
      'update default/a@1004',
      'delete default/b@1005',
    ],
    async (run) => {
      run.create('a');
      run.create('b');
      await run.follow().start();
      run.log.push('started');
      run.create('c');
      run.update('a');
      run.delete('b');
      await run.told(6);
    },
  );

  same(
    'calls connect before it asks for anything',
    ['connect undefined', 'requests 0', 'add a'],
    async (run) => {
      run.create('a');
      const informer = run.open();
      informer.on('connect', (argument) => {
        run.log.push(`connect ${argument}`, `requests ${run.server.requests.length}`);
      });
      informer.on('add', (object) => run.log.push(`add ${object.metadata?.name}`));
      await informer.start();
    },
  );

  same(
    'calls change for each of the three, until it is taken out',
    ['change a@1001', 'change a@1002', 'change a@1003', 'add b@1004'],
    async (run) => {
      run.create('a');
      const informer = run.open();
      const change = ({ metadata }: V1ConfigMap) => {
        run.log.push(`change ${metadata?.name}@${metadata?.resourceVersion}`);
      };
      informer.on('change', change);
      await informer.start();
      run.update('a');
      run.delete('a');
      await run.told(3);
      informer.off('change', change);
      informer.on('add', ({ metadata }) =>
        run.log.push(`add ${metadata?.name}@${metadata?.resourceVersion}`),
      );
      run.create('b');
      await run.told(4);
    },
  );

  same(
    'calls a callback as often as it was added, and takes out the first of the same',
    ['1', '2', '1', '-', '2', '1'],
    async (run) => {
      const informer = run.open();
      const first = () => void run.log.push('1');
      const second = () => void run.log.push('2');
      for (const callback of [first, second, first]) informer.on('add', callback);
      run.create('a');
      await informer.start();
      run.log.push('-');
      informer.off('add', first);
      informer.off('update', first);
      informer.off('add', () => {});
      run.create('b');
      await run.told(6);
    },
  );

  same(
    'calls who was there when the change came, whatever callbacks add and remove',
    ['first a', 'second a', 'second b', 'late b'],
    async (run) => {
      const informer = run.open();
      const first = (object: V1ConfigMap) => {
        run.log.push(`first ${object.metadata?.name}`);
        informer.off('add', first);
        informer.on('add', (later) => run.log.push(`late ${later.metadata?.name}`));
      };
      informer.on('add', first);
      informer.on('add', (object) => run.log.push(`second ${object.metadata?.name}`));
      run.create('a');
      await informer.start();
      run.create('b');
      await run.told(4);
    },
  );

  same('tells nothing again to a callback that comes late', ['add default/b@1002'], async (run) => {
    run.create('a');
    const informer = run.open();
    await informer.start();
    informer.on('add', (object) => run.log.push(`add ${nameOf(object)}`));
    run.create('b');
    await run.told(1);
  });

  same('refuses unknown verbs', ['Unknown verb: added', 'Unknown verb: added'], async (run) => {
    const informer = run.open();
    for (const method of ['on', 'off'] as const) {
      try {
        informer[method]('added' as 'add', () => {});
      } catch (error) {
        run.log.push((error as Error).message);
      }
    }
  });

  same(
    'answers get and list, of all and of a namespace',
    ['a@1001 of web', 'none', 'none', 'default/a@1002,default/b@1003,web/a@1001', 'web/a@1001', '', '1003'],
    async (run) => {
      run.create('a', 'web');
      run.create('a');
      run.create('b');
      const informer = run.open();
      await informer.start();
      const names = (objects: readonly V1ConfigMap[]) => objects.map(nameOf).sort().join();
      const found = informer.get('a', 'web')?.metadata;
      run.log.push(`${found?.name}@${found?.resourceVersion} of ${found?.namespace}`);
      run.log.push(informer.get('a') === undefined ? 'none' : 'found');
      run.log.push(informer.get('b', 'web') === undefined ? 'none' : 'found');
      run.log.push(names(informer.list()), names(informer.list('web')), names(informer.list('nowhere')));
      run.log.push(informer.latestResourceVersion());
    },
  );

  same('knows nothing before it was started', ['undefined', '0', ''], async (run) => {
    run.create('a');
    const informer = run.open();
    await informer.stop();
    run.log.push(String(informer.get('a', 'default')), String(informer.list().length));
    run.log.push(informer.latestResourceVersion());
  });

  same(
    'has a change in its cache when callbacks are told of it',
    ['add true 1', 'update true 1', 'delete false 0'],
    async (run) => {
      const informer = run.open();
      for (const verb of ['add', 'update', 'delete'] as const) {
        informer.on(verb, ({ metadata }) => {
          const isCached =
            informer.get('a', 'default')?.metadata?.resourceVersion === metadata?.resourceVersion;
          run.log.push(`${verb} ${isCached} ${informer.list().length}`);
        });
      }
      await informer.start();
      run.create('a');
      await run.told(1);
      run.update('a');
      await run.told(2);
      run.delete('a');
      await run.told(3);
    },
  );

  same(
    'keeps to a label selector; what no longer matches is deleted',
    ['add default/a@1001', 'update default/a@1004', 'delete default/a@1005', 'add default/d@1006'],
    async (run) => {
      run.create('a', 'default', { tier: 'web' });
      run.create('b', 'default', { tier: 'db' });
      await run.follow({ labelSelector: 'tier=web' }).start();
      run.create('c');
      run.update('a');
      run.server.patch('configmaps', 'default/a', { metadata: { labels: { tier: null } } });
      run.create('d', 'default', { tier: 'web' });
      await run.told(4);
    },
  );

  same('keeps to a field selector', ['add default/b@1002', 'update default/b@1004'], async (run) => {
    run.create('a');
    run.create('b');
    await run.follow({ fieldSelector: 'metadata.name=b' }).start();
    run.update('a');
    run.update('b');
    await run.told(2);
  });

  same('keeps to the namespace of its path', ['add web/a@1001', 'add web/c@1003'], async (run) => {
    run.create('a', 'web');
    run.create('b');
    await run.follow({ path: '/api/v1/namespaces/web/configmaps' }).start();
    run.create('c', 'web');
    await run.told(2);
  });

  same('of makeInformer is the same', ['add default/a@1001', 'a', '1'], async (run) => {
    run.create('a');
    const kubeConfig = run.server.kubeConfig();
    const api = kubeConfig.makeApiClient(run.library.CoreV1Api);
    const informer = run.library.makeInformer(kubeConfig, CONFIG_MAPS, () =>
      api.listConfigMapForAllNamespaces(),
    );
    informer.on('add', (object) => run.log.push(`add ${nameOf(object)}`));
    await informer.start();
    run.log.push(informer.get('a', 'default')!.metadata!.name!, String(informer.list().length));
    await informer.stop();
  });
});
