/** What informers must do on any API server. Run against the fake one and a real one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { drop } from '../../../src/index.ts';
import { until } from '../../e2e/until.ts';
import type { Json } from '../harness/connection.ts';
import { collectionPath, Follower, withFactory } from './follower.ts';
import { CLUSTER_SCOPED, type Kind, kindNamed, NAMESPACED } from './kinds.ts';
import { Scene } from './scene.ts';
import { newNamespace, type ServerUnderTest } from './server-under-test.ts';

const INITIAL_LISTS = ['list', 'watchList', 'auto'] as const;

/** Much, for an API server: a body of this size is compressed and comes in many chunks. */
const LARGE_CHARS = 900_000;

export function describeInformers(open: () => Promise<ServerUnderTest & { close(): Promise<void> }>): void {
  describe('informers', () => {
    let server: Awaited<ReturnType<typeof open>>;
    before(async () => {
      server = await open();
    });
    after(() => server.close());

    /** An informer of one kind in a namespace of its own. */
    async function follow(
      kind: Kind,
      options: ConstructorParameters<typeof Follower>[2],
      body: (scene: Scene) => Promise<void>,
    ): Promise<void> {
      const isNamespaced = NAMESPACED.includes(kind);
      const namespace = isNamespaced ? await newNamespace(server.api) : undefined;
      const resource = namespace === undefined ? kind.resource : { ...kind.resource, namespace };
      await withFactory(server.kubeConfig(), async (factory) => {
        const follower = new Follower(factory, resource, options);
        await body(new Scene(server, kind, resource, follower, () => factory.start()));
      });
    }

    for (const initialList of INITIAL_LISTS) {
      it(`of built-in kinds and a custom resource (${initialList}) list, and follow what happens`, async () => {
        const namespace = await newNamespace(server.api);
        await withFactory(server.kubeConfig(), async (factory) => {
          const scenes = NAMESPACED.map((kind) => {
            const resource = { ...kind.resource, namespace };
            return new Scene(server, kind, resource, new Follower(factory, resource, { initialList }));
          });
          for (const scene of scenes) for (const name of ['a', 'b']) await scene.create(name);
          await factory.start();
          for (const scene of scenes) await scene.change();
          for (const scene of scenes) {
            await scene.settled();
            const { story } = scene.follower;
            assert.deepEqual(story.slice(0, 2).sort(), ['add a', 'add b']);
            // A real server marks a Pod as deleted before it deletes it.
            const rest = story.slice(2).filter((told) => told !== 'update b');
            assert.deepEqual(rest, ['update a', 'add c', 'delete b']);
            assert.deepEqual(scene.follower.errors, []);
          }
        });
      });
    }

    for (const kind of CLUSTER_SCOPED) {
      it(`of ${kind.resource.resource}, which have no namespace, list and follow`, () =>
        follow(kind, {}, async (scene) => {
          await scene.create('a');
          await scene.start();
          await scene.patch('a', kind.patch);
          await scene.create('b');
          await scene.delete('a');
          await scene.settled();
          await scene.delete('b');
          await scene.settled();
        }));
    }

    it('of several kinds on one factory follow all of them, over all namespaces', async () => {
      const namespace = await newNamespace(server.api);
      await withFactory(server.kubeConfig(), async (factory) => {
        const followers = NAMESPACED.map(({ resource }) => new Follower(factory, resource));
        await factory.start();
        for (const { resource, make } of NAMESPACED) {
          await server.api.create(collectionPath({ ...resource, namespace }), make('a'));
        }
        for (const follower of followers) {
          await follower.settled(server.api);
          assert.ok(follower.informer.lister.has(`${namespace}/a`));
        }
      });
    });

    it('that match labels see objects come into view and leave it', () =>
      follow(kindNamed('configmaps'), { labelSelector: 'tier in (front),!hidden' }, async (scene) => {
        await scene.create('a', { labels: { tier: 'front' } });
        await scene.create('b', { labels: { tier: 'back' } });
        await scene.start();
        await scene.patch('b', { metadata: { labels: { tier: 'front' } } });
        await scene.patch('a', { metadata: { labels: { hidden: '' } } });
        await scene.create('c');
        await scene.settled();

        assert.deepEqual(scene.follower.story, ['add a', 'add b', 'delete a']);
      }));

    it('that match fields see objects come into view and leave it', () =>
      follow(kindNamed('pods'), { fieldSelector: 'status.phase=Running' }, async (scene) => {
        for (const name of ['a', 'b']) await scene.create(name);
        await scene.patch('a', { status: { phase: 'Running' } }, '/status');
        await scene.start();
        await scene.patch('b', { status: { phase: 'Running' } }, '/status');
        await scene.patch('a', { status: { phase: 'Failed' } }, '/status');
        await scene.settled();

        assert.deepEqual(scene.follower.story, ['add a', 'add b', 'delete a']);
      }));

    it('tell an object that was created again under its name as another one', () =>
      follow(kindNamed('configmaps'), {}, async (scene) => {
        await scene.create('a');
        await scene.start();
        for (let i = 0; i < 3; i++) {
          await scene.delete('a');
          await scene.create('a');
        }
        await scene.settled();

        assert.deepEqual(scene.follower.story, ['add a', ...Array(3).fill(['delete a', 'add a'])].flat());
        assert.equal(new Set(scene.follower.told.map(({ uid }) => uid)).size, 4);
      }));

    it('tell an object with a finalizer as updated when it is deleted, and as deleted when it is gone', () =>
      follow(kindNamed('widgets'), {}, async (scene) => {
        await scene.create('a', { finalizers: ['example.com/hold'] });
        await scene.start();
        await scene.delete('a');
        await scene.settled();
        assert.notEqual(scene.cached('a').metadata.deletionTimestamp, undefined);
        await scene.patch('a', { metadata: { finalizers: null } });
        await scene.settled();

        assert.deepEqual(scene.follower.story, ['add a', 'update a', 'delete a']);
      }));

    it('see what status, apply and whole replacements write', () =>
      follow(kindNamed('widgets'), {}, async (scene) => {
        await scene.create('a');
        await scene.start();
        await scene.patch('a', { status: { phase: 'Ready' } }, '/status');
        await scene.apply('a', { spec: { applied: true } });
        await scene.replace('a', (object) => ({ ...object, spec: { replaced: true } }));
        await scene.settled();

        assert.deepEqual(scene.follower.story, ['add a', 'update a', 'update a', 'update a']);
        assert.deepEqual(
          [scene.cached('a').status, scene.cached('a').spec],
          [{ phase: 'Ready' }, { replaced: true }],
        );
      }));

    for (const initialList of INITIAL_LISTS) {
      it(`of metadata only (${initialList}) hold nothing else`, () =>
        follow(kindNamed('configmaps'), { metadataOnly: true, initialList }, async (scene) => {
          await scene.create('a', { annotations: { note: 'kept' } });
          await scene.start();
          await scene.create('b');
          await scene.patch('a', { data: { more: 'not seen' } });
          await scene.settled();

          assert.deepEqual(Object.keys(scene.cached('a')).sort(), ['apiVersion', 'kind', 'metadata']);
          assert.equal(scene.cached('a').metadata.annotations.note, 'kept');
        }));

      it(`of metadata only (${initialList}) of nothing are synced, and follow`, () =>
        follow(kindNamed('configmaps'), { metadataOnly: true, initialList }, async (scene) => {
          await scene.start();
          assert.equal(scene.follower.informer.lister.size, 0);
          await scene.create('a');
          await scene.settled();

          assert.deepEqual(scene.follower.story, ['add a']);
          assert.deepEqual(scene.follower.errors, []);
        }));

      it(`over gzip (${initialList}) are as without it`, () =>
        follow(kindNamed('configmaps'), { compression: 'gzip', initialList }, async (scene) => {
          for (let i = 0; i < 40; i++)
            await scene.create(`n${i}`, { annotations: { pad: 'x'.repeat(5000) } });
          await scene.start();
          for (let i = 0; i < 10; i++) await scene.patch(`n${i}`, { data: { i: String(i) } });
          await scene.delete('n39');
          await scene.settled();

          assert.deepEqual(scene.follower.errors, []);
        }));
    }

    it('take an object of nearly 1 MB from list and watch', () =>
      follow(kindNamed('configmaps'), {}, async (scene) => {
        await scene.create('listed', {}, { data: { text: 'ä'.repeat(LARGE_CHARS / 2) } });
        await scene.start();
        await scene.create('watched', {}, { data: { text: '\\"'.repeat(LARGE_CHARS / 4) } });
        await scene.patch('listed', { metadata: { labels: { changed: 'yes' } } });
        await scene.settled();
      }));

    it('keep numbers above 2^53 exact in the JSON of custom resources', () =>
      follow(kindNamed('widgets'), {}, async (scene) => {
        const text = '{"metadata":{"name":"NAME"},"apiVersion":"conformance.example.com/v1","kind":"Widget",';
        const body = `${text}"spec":{"count":9223372036854775807}}`;
        await scene.createText(body.replace('NAME', 'listed'));
        await scene.start();
        await scene.createText(body.replace('NAME', 'watched'));
        await scene.settled();

        for (const name of ['listed', 'watched']) {
          assert.match(scene.ref(name).json, /"count":9223372036854775807/);
        }
      }));

    it('give objects of one shape from list and watch, and index and project them', () =>
      follow(
        kindNamed('pods'),
        { indexers: { byApp: 'metadata.labels.app' }, columns: { image: 'spec.containers[*].image' } },
        async (scene) => {
          await scene.create('listed');
          await scene.start();
          await scene.create('watched');
          await scene.settled();

          const shapes = ['listed', 'watched'].map((name) => Object.keys(scene.cached(name)));
          assert.deepEqual(shapes[0]!.slice(0, 4), ['kind', 'apiVersion', 'metadata', 'spec']);
          assert.deepEqual(shapes[1], shapes[0]);
          assert.equal(scene.ref('listed').column('image'), 'registry.example.com/main:1');
          assert.equal(scene.follower.informer.lister.byIndex('byApp', 'web').length, 2);
        },
      ));

    it('leave out what a projection drops', async () => {
      const { resource, make } = kindNamed('configmaps');
      const namespace = await newNamespace(server.api);
      const path = collectionPath({ ...resource, namespace });
      await withFactory(server.kubeConfig(), async (factory) => {
        const project = drop('metadata.managedFields', 'data');
        const informer = factory.informerFor<Json>({ ...resource, namespace }, { project });
        await server.api.create(path, make('listed'));
        await factory.start();
        await server.api.create(path, make('watched'));
        await until('the second is there', () => informer.lister.size === 2);

        for (const object of informer.lister.list()) {
          assert.deepEqual([object.metadata.managedFields, object.data], [undefined, undefined]);
        }
      });
    });

    it('replay what there is to a handler that comes later', () =>
      follow(kindNamed('configmaps'), {}, async (scene) => {
        for (const name of ['a', 'b']) await scene.create(name);
        await scene.start();
        const seen: string[] = [];
        const { informer } = scene.follower;
        const registration = informer.addEventHandler({
          onAdd: (object, isInitial) => void seen.push(`${object.metadata.name} ${isInitial}`),
        });
        await registration.synced;
        assert.deepEqual(seen.sort(), ['a true', 'b true']);
        await scene.create('c');
        await scene.settled();
        await until('the later handler was told', () => seen.length === 3);

        assert.equal(seen[2], 'c false');
      }));

    it('that begin while objects change lose and double nothing', async () => {
      const { resource, make } = kindNamed('configmaps');
      const namespace = await newNamespace(server.api);
      const path = collectionPath({ ...resource, namespace });
      const writes = Array.from({ length: 40 }, (_, i) => server.api.create(path, make(`n${i}`)));
      for (const initialList of INITIAL_LISTS) {
        await withFactory(server.kubeConfig(), async (factory) => {
          const follower = new Follower(factory, { ...resource, namespace }, { initialList });
          await factory.start();
          await follower.settled(server.api);
        });
      }
      await Promise.all(writes);
    });
  });
}
