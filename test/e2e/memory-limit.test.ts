import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InformerError, SharedInformerFactory, UsageError } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const MEBIBYTE = 1024 * 1024;

describe('memory limit', () => {
  it('is told with the largest consumers; deletes still come through, and make room', async () => {
    const server = await FakeApiServer.start({ seed: 7, bookmarkIntervalMs: 200 });
    const factory = new SharedInformerFactory(server.kubeConfig(), { memoryLimitBytes: 16 * MEBIBYTE });
    try {
      for (let i = 0; i < 40; i++) server.create('configmaps', configMap(`n${i}`));
      const informer = factory.informerFor(CONFIG_MAPS);
      const errors: InformerError[] = [];
      informer.on('error', (error) => errors.push(error));
      await factory.start();
      const full = errors.find(({ code }) => code === 'arena-full');
      assert.match(full!.message, /limit 16 MiB per worker; configmaps\S* 1\d MiB/);
      assert.match(full!.message, /memoryLimitBytes/);
      const kept = informer.lister.keys();
      assert.ok(kept.length > 10 && kept.length < 40, `${kept.length} objects were kept`);

      for (const key of kept) server.delete('configmaps', key);
      await until('the deletes came', () => kept.every((key) => !informer.lister.has(key)));
      server.create('configmaps', configMap('late'));
      // How many fit depends on how blocks lie; most of what was kept before has to.
      const fit = () =>
        server.list('configmaps').filter(({ metadata }) => {
          return informer.lister.has(`default/${(metadata as { name: string }).name}`);
        });
      const enough = Math.min(server.list('configmaps').length, kept.length - 2);
      await until('what found no room before is there', () => fit().length >= enough, 60_000);
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  it('is refused when it is too small to work with', async () => {
    const server = await FakeApiServer.start();
    const kubeConfig = server.kubeConfig();
    await server.stop();

    assert.throws(() => new SharedInformerFactory(kubeConfig, { memoryLimitBytes: 1000 }), UsageError);
  });
});

function configMap(name: string): object {
  return { metadata: { name, namespace: 'default' }, data: { text: 'x'.repeat(700 * 1024) } };
}
