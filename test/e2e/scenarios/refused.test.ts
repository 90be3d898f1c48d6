import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { until } from '../until.ts';
import { kubeConfigOf } from './kube-config.ts';
import { SCENES, scenario } from './scene.ts';

const LOGIN_PAGE = '<!doctype html><html><body>Please log in, session 4711</body></html>';

describe('requests that are refused', { concurrency: SCENES }, () => {
  scenario('429 with Retry-After for a list is waited for (B7, B23)', { existing: ['a'] }, async (scene) => {
    scene.server.faults.add({ fault: 'status', code: 429, retryAfterSeconds: 2, on: 'list', times: 1 });
    await scene.start();

    scene.assertErrors(/^list of configmaps failed: the server says 429: .*; next try in 2\.\d s$/);
    assert.ok(secondsBetween(scene.server.requests.slice(0, 2)) >= 2);
    scene.assertRequests({ lists: 2, watches: 1 });
  });

  scenario(
    '429 without Retry-After for a list is tried again with a growing delay (B7, B23)',
    { existing: ['a'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'status', code: 429, on: 'list', times: 2 });
      await scene.start();

      scene.assertErrors(/429/, /429/);
      scene.assertDelaysGrow();
      scene.assertRequests({ lists: 3, watches: 1 });
    },
  );

  scenario(
    '429 for list and watch for a while: it waits, says so, and goes on (B7)',
    { existing: ['a'] },
    async (scene) => {
      await scene.start();
      scene.update('a');
      await scene.caughtUp();
      scene.server.faults.add({ fault: 'status', code: 429, times: 1 });
      scene.server.faults.add({ fault: 'status', code: 429, retryAfterSeconds: 2, skip: 1, times: 1 });
      scene.server.closeWatches();
      scene.update('a');
      await scene.failed(1);
      await until('it waits', () => scene.informer.stats.state === 'backingOff');
      assert.equal(scene.informer.hasSynced, true);
      await scene.failed(2);
      await scene.caughtUp();

      scene.assertErrors(/429/, /429/);
      assert.ok(scene.errors[1]!.retryInMs! >= 2000);
      scene.assertRequests({ lists: 1, watches: 4 });
    },
  );

  scenario(
    '503 for the list that a broken watch needs is told once and tried again (B15, B16)',
    { relists: true, existing: ['a', 'b'] },
    async (scene) => {
      await scene.start();
      scene.update('a');
      await scene.caughtUp();
      scene.server.faults.add({ fault: 'status', code: 503, on: 'list', times: 1 });
      scene.server.dropConnections('reset');
      scene.update('a');
      scene.delete('b');
      scene.server.compact();
      await scene.caughtUp();
      await scene.watchIsOpen();

      scene.assertErrors(/^watch .* the connection broke/, /^watch .* 410/, /^list .* the server says 503: /);
      scene.assertRequests({ lists: 3, watches: 3 });
    },
  );

  for (const code of [429, 500, 503]) {
    scenario(
      `an ERROR event with ${code} ends a watch, and the next one goes on (B26)`,
      { existing: ['a'] },
      async (scene) => {
        scene.server.faults.add({ fault: 'error-event', code, on: 'watch', afterItems: 2, times: 1 });
        await scene.factory.start();
        for (const name of ['b', 'c', 'd']) scene.create(name);
        await scene.caughtUp();

        scene.assertErrors(
          new RegExp(`^watch of configmaps failed: the server says ${code}: injected fault`),
        );
        scene.assertRequests({ lists: 1, watches: 2 });
      },
    );
  }

  for (const on of ['list', 'watch'] as const) {
    scenario(
      `an HTML page instead of a ${on} is named as what it is, without its text`,
      {},
      async (scene) => {
        scene.server.faults.add({ fault: 'status', code: 200, body: LOGIN_PAGE, on, times: 1 });
        await scene.factory.start();
        await scene.watchIsOpen();

        scene.assertErrors(
          /the response is text\/html, not JSON; check that the server URL .* login page or proxy/,
        );
        assert.doesNotMatch(scene.errors[0]!.message, /4711/);
        scene.assertRequests(on === 'list' ? { lists: 2, watches: 1 } : { lists: 1, watches: 2 });
      },
    );
  }

  scenario(
    '502 with an HTML page, as proxies answer, is waited out (B13)',
    { existing: ['a'] },
    async (scene) => {
      scene.server.faults.add({ fault: 'status', code: 502, body: LOGIN_PAGE, times: 1 });
      await scene.start();

      scene.assertErrors(/^list of configmaps failed: the server says 502: no message; next try/);
      scene.assertRequests({ lists: 2, watches: 1 });
    },
  );

  scenario(
    'a resource that the server does not know is told with what to check, and asked for rarely',
    {},
    async (scene) => {
      const widgets = scene.factory.informerFor({ group: 'example.com', version: 'v1', resource: 'widgets' });
      widgets.on('error', (error) => scene.errors.push(error));
      const started = scene.factory.start();
      started.catch(() => {});
      await scene.failed(1);
      await scene.informer.synced;

      const { message, code, status, resource, retryInMs } = scene.errors[0]!;
      assert.match(
        message,
        /^list of widgets\.example\.com failed: the server says 404: 404 page not found; check group, version and resource, and that its custom resource definition is installed; next try in \d\d\.\d s$/,
      );
      assert.deepEqual([code, status, resource], ['not-found', 404, 'widgets.example.com']);
      assert.ok(retryInMs! >= 60_000);
      assert.equal(scene.server.requests.filter(({ url }) => url.includes('widgets')).length, 1);
      await widgets.stop();
      scene.errors.length = 0;
    },
  );

  scenario(
    'a selector that can’t be read is told with the server’s words',
    { informer: { labelSelector: 'app in (' } },
    async (scene) => {
      scene.factory.start().catch(() => {});
      await scene.failed(1);

      scene.assertErrors(
        /^list of configmaps failed: the server says 400: .*; check the resource, the selectors and the server URL; next try in \d\.\d s$/,
      );
      assert.deepEqual([scene.errors[0]!.code, scene.errors[0]!.status], ['rejected', 400]);
      scene.assertRequests({ lists: 1, watches: 0 });
      // No list will ever succeed.
      scene.doNotConclude();
    },
  );

  const addresses: [string, string, RegExp][] = [
    [
      'a port on which nobody listens',
      'http://127.0.0.1:1',
      /no connection: connect ECONNREFUSED 127\.0\.0\.1:1; check/,
    ],
    [
      'a URL that is none',
      'not a url',
      /the server of cluster test is no http or https URL: "not a url"; correct it in the kubeconfig/,
    ],
    [
      'a URL of another protocol',
      'ftp://127.0.0.1/',
      /is no http or https URL: "ftp:\/\/127\.0\.0\.1\/"; correct it/,
    ],
  ];
  for (const [what, url, message] of addresses) {
    scenario(`${what} is told with the remedy, and stop ends the waiting (B16, B22)`, {}, async (scene) => {
      scene.connectTo(kubeConfigOf(url));
      const started = scene.factory.start();
      started.catch(() => {});
      await scene.failed(1);

      assert.match(scene.errors[0]!.message, message);
      assert.equal(scene.informer.hasSynced, false);
      await scene.factory.stop();
      await assert.rejects(started, { name: 'StoppedError' });
      scene.doNotConclude();
    });
  }

  scenario(
    'a server of TLS that is asked without it is told as what it is',
    { server: { tls: true } },
    async (scene) => {
      scene.connectTo(kubeConfigOf(`http://127.0.0.1:${scene.server.port}`));
      scene.factory.start().catch(() => {});
      await scene.failed(1);

      assert.match(scene.errors[0]!.message, /^list of configmaps failed: http:\/\/127\.0\.0\.1:\d+: /);
      await until('no socket leaks', () => scene.server.stats.openSockets === 0);
      scene.doNotConclude();
    },
  );
});

function secondsBetween(requests: readonly { startedAt: number }[]): number {
  return (requests.at(-1)!.startedAt - requests[0]!.startedAt) / 1000;
}
