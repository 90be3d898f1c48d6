import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InformerError, SharedInformerFactory, UsageError } from '../../src/index.ts';
import { FakeApiServer } from '../../src/testing/index.ts';
import { until } from './until.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const MEBIBYTE = 1024 * 1024;
const PATIENCE_MS = 60_000;

/** Memory of bodies over live bytes, beyond what an informer of any size may have besides. */
const MOST = 1.3;
const FLOOR_BYTES = 2 * MEBIBYTE;

describe('objects that all change their sizes', () => {
  for (const bodies of ['json', 'record'] as const) {
    it(`leave no memory behind, and each can be read all the time: ${bodies}`, async () => {
      const server = await FakeApiServer.start({ seed: 12 });
      const factory = new SharedInformerFactory(server.kubeConfig());
      try {
        const count = 2000;
        for (let i = 0; i < count; i++) server.create('configmaps', configMap(i, 4000));
        const informer = factory.informerFor(CONFIG_MAPS, { bodies });
        const lengths = new Map<string, number>();
        informer.addEventHandler({
          onUpdate: (before, after) => {
            assert.equal(textOf(before).length, lengths.get(nameOf(before)) ?? 4000);
            lengths.set(nameOf(after), textOf(after).length);
          },
        });
        const errors: InformerError[] = [];
        informer.on('error', (error) => errors.push(error));
        await factory.start();
        await until('the watch is open', () => server.stats.openWatches === 1, PATIENCE_MS);

        for (const bytes of [16_000, 2000, 8000, 1000]) {
          for (let i = 0; i < count; i++) {
            const which = (i * 7919) % count;
            server.update('configmaps', configMap(which, bytes));
            if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
          await informer.atLeast(String(server.resourceVersion));
          const { stats } = informer;
          assert.equal(stats.objects, count);
          await until(
            `the memory has followed to ${bytes} bytes an object`,
            () => factory.stats.arenaBytes <= MOST * informer.memory().bodyBytes + FLOOR_BYTES,
            PATIENCE_MS,
          );
          for (let i = 0; i < count; i++) {
            const object = informer.lister.get(`default/n${i}`)!;
            assert.equal(textOf(object), textOf(configMap(i, bytes)));
          }
        }
        const { movedBlocks, movedBytes } = factory.stats;
        assert.ok(movedBlocks > 0 && movedBytes > 0);
        assert.ok(informer.stats.moves > 0 && informer.stats.moves <= movedBlocks);
        assert.deepEqual(errors, []);
        assert.equal(informer.stats.handlerErrors, 0);
      } finally {
        await factory.stop();
        await server.stop();
      }
    });
  }
});

describe('a worker that dies while it moves blocks', () => {
  it('leaves a cache that is right, and no memory when another one has listed', async () => {
    const server = await FakeApiServer.start({ seed: 15 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      const count = 1500;
      for (let i = 0; i < count; i++) server.create('configmaps', configMap(i, 8000));
      const informer = factory.informerFor(CONFIG_MAPS);
      await factory.start();
      await until('the watch is open', () => server.stats.openWatches === 1, PATIENCE_MS);
      for (let round = 1; round <= 3; round++) {
        const { moves } = informer.stats;
        for (let i = 0; i < count; i++)
          server.update('configmaps', configMap(i, round % 2 === 0 ? 8000 : 500));
        await until('blocks are moved', () => round === 2 || informer.stats.moves > moves, PATIENCE_MS);
        await factory.fleet!.kill();
        await informer.atLeast(String(server.resourceVersion));
        await until('another one watches', () => informer.health().state === 'watching', PATIENCE_MS);
      }
      for (let i = 0; i < count; i++) {
        assert.equal(textOf(informer.lister.get(`default/n${i}`)!), textOf(configMap(i, 500)));
      }
      await until(
        'the memory has followed',
        () => factory.stats.arenaBytes <= MOST * informer.memory().bodyBytes + FLOOR_BYTES,
        PATIENCE_MS,
      );
    } finally {
      await factory.stop();
      await server.stop();
    }
  });
});

describe('the memory limit of an informer', () => {
  it('is told with what is in it, holds up nobody else, and lets objects in again when others go', async () => {
    const server = await FakeApiServer.start({ seed: 13, bookmarkIntervalMs: 200 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      for (let i = 0; i < 40; i++) server.create('configmaps', configMap(i, 100 * 1024));
      for (let i = 0; i < 40; i++) server.create('secrets', configMap(i, 100 * 1024));
      const memoryLimitBytes = 2 * MEBIBYTE;
      const informer = factory.informerFor(CONFIG_MAPS, { memoryLimitBytes });
      const other = factory.informerFor({ group: '', version: 'v1', resource: 'secrets' });
      const errors: InformerError[] = [];
      informer.on('error', (error) => errors.push(error));
      await factory.start();
      assert.equal(other.lister.keys().length, 40);
      assert.match(errors[0]!.message, /limit 2 MiB of this informer; configmaps\S* 2 MiB\)/);
      assert.equal(errors[0]!.code, 'arena-full');
      const kept = informer.lister.keys();
      assert.ok(kept.length >= 15 && kept.length <= 20, `${kept.length} objects were kept`);
      const { bodyBytes, limitBytes } = informer.memory();
      assert.equal(limitBytes, memoryLimitBytes);
      assert.ok(bodyBytes <= memoryLimitBytes);

      for (const { metadata } of server.list('configmaps').slice(0, 30) as { metadata: { name: string } }[]) {
        server.delete('configmaps', `default/${metadata.name}`);
      }
      await until('the others are there', () => informer.lister.keys().length === 10, PATIENCE_MS);
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  it('is one for all of its namespaces', async () => {
    const server = await FakeApiServer.start({ seed: 14 });
    const factory = new SharedInformerFactory(server.kubeConfig());
    try {
      for (let i = 0; i < 12; i++) server.create('configmaps', configMap(i, 100 * 1024, 'much'));
      server.create('configmaps', configMap(0, 1024, 'little'));
      const informer = factory.informerFor(CONFIG_MAPS, {
        namespaces: ['much', 'little'],
        memoryLimitBytes: 2 * MEBIBYTE,
      });
      await factory.start();

      assert.equal(informer.lister.keys().length, 13);
    } finally {
      await factory.stop();
      await server.stop();
    }
  });

  it('is refused when it is too small for one large object', async () => {
    const server = await FakeApiServer.start();
    const factory = new SharedInformerFactory(server.kubeConfig());
    await server.stop();

    assert.throws(() => factory.informerFor(CONFIG_MAPS, { memoryLimitBytes: 1000 }), UsageError);
    await factory.stop();
  });
});

function configMap(i: number, bytes: number, namespace = 'default'): object {
  // Of no two objects the same, so that a record has it in its own bytes.
  const text = `${i} `.repeat(Math.ceil(bytes / `${i} `.length)).slice(0, bytes);
  return { metadata: { name: `n${i}`, namespace }, data: { text } };
}

function textOf(object: object): string {
  return (object as { data: { text: string } }).data.text;
}

function nameOf(object: object): string {
  return (object as { metadata: { name: string } }).metadata.name;
}
