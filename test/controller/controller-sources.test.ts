import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { type ControllerOptions, type MapFunction, watch } from '../../src/controller/index.ts';
import { type Harness, type Thing, thing } from '../informer/harness.ts';
import { Gate, makeThings, Recorder, Scene } from './controller-set-up.ts';

describe('a controller', () => {
  const scenes: Scene[] = [];
  let recorder: Recorder;

  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.stop();
  });

  async function run(options: Omit<ControllerOptions<Thing>, 'reconcile'>): Promise<Scene> {
    recorder = new Recorder();
    const scene = new Scene({ reconcile: recorder.reconcile, ...options });
    scenes.push(scene);
    await scene.start();
    recorder.keys.length = 0;
    return scene;
  }

  describe('that owns things', () => {
    const owner = thing('ns/owner', 1, { uid: 'u-owner' });
    let owners: Harness;
    let owned: Harness;

    async function runWithOwned(things: readonly Thing[] = []): Promise<Scene> {
      owners = makeThings([owner, thing('ns/other', 2, { uid: 'u-other' })]);
      owned = makeThings(things);
      return run({ for: owners.informer, owns: [owned.informer] });
    }

    it('reconciles the owner that is their controller, when they come, change and go', async () => {
      const scene = await runWithOwned();
      for (const [i, change] of (['added', 'modified', 'deleted'] as const).entries()) {
        owned[change](ownedBy('ns/x', 101 + i, 'owner', 'u-owner'));
        owned.work();
        await scene.rest();
      }

      assert.deepEqual(recorder.keys, ['ns/owner', 'ns/owner', 'ns/owner']);
    });

    it('reconciles both owners when they change hands', async () => {
      const scene = await runWithOwned([ownedBy('ns/x', 1, 'owner', 'u-owner')]);
      owned.modified(ownedBy('ns/x', 101, 'other', 'u-other'));
      owned.work();
      await scene.rest();

      assert.deepEqual(recorder.keys.toSorted(), ['ns/other', 'ns/owner']);
    });

    it('finds an owner that is in no namespace', async () => {
      owners = makeThings([{ metadata: { name: 'wide', uid: 'u-wide', resourceVersion: '1' } }]);
      owned = makeThings();
      const scene = await run({ for: owners.informer, owns: [{ informer: owned.informer }] });
      owned.added(ownedBy('ns/x', 101, 'wide', 'u-wide'));
      owned.work();
      await scene.rest();

      assert.deepEqual(recorder.keys, ['wide']);
    });

    for (const [what, reference] of Object.entries({
      'an owner that is not the controller': { controller: false },
      'an owner of the same name and another uid': { uid: 'u-before' },
      'an owner of another group': { apiVersion: 'apps/v1' },
      'an owner that is not known': { name: 'unknown' },
      'a name that nothing can have': { name: 'a/b/c' },
      'a name that is none': { name: 5 },
      'no version': { apiVersion: undefined },
    })) {
      it(`takes no notice of ${what}`, async () => {
        const scene = await runWithOwned();
        const child = ownedBy('ns/x', 101, 'owner', 'u-owner', reference);
        owned.added(child);
        owned.work();
        await scene.rest();

        assert.deepEqual(recorder.keys, []);
        assert.deepEqual(scene.errors, []);
      });
    }

    for (const references of [null, 'none', [null], [7]]) {
      it(`takes no notice of ownerReferences that are ${JSON.stringify(references)}`, async () => {
        const scene = await runWithOwned();
        owned.added(withMetadata(thing('ns/x', 101), { ownerReferences: references }));
        owned.work();
        await scene.rest();

        assert.deepEqual(recorder.keys, []);
        assert.deepEqual(scene.errors, []);
      });
    }

    it('decodes no object for that', async () => {
      const scene = await runWithOwned();
      owned.added(ownedBy('ns/x', 101, 'owner', 'u-owner'));
      owned.work();
      await scene.rest();

      assert.deepEqual(recorder.keys, ['ns/owner']);
      assert.equal(owned.informer.stats.decoded + owners.informer.stats.decoded, 0);
    });
  });

  describe('that watches things', () => {
    async function runWithWatch(map: MapFunction<Thing>) {
      const watched = makeThings([thing('w/one', 1, { node: 'a' })]);
      const scene = await run({ for: makeThings().informer, watches: [watch(watched.informer, map)] });
      return { scene, watched };
    }

    for (const [what, map, keys] of [
      ['one key', ({ name }) => `ns/${name}`, ['ns/one']],
      ['several keys, each once', () => ['ns/a', 'ns/b', 'ns/a'], ['ns/a', 'ns/b']],
      ['keys of a set', () => new Set(['ns/a']), ['ns/a']],
      ['keys later', async () => ['ns/a', 'b'], ['ns/a', 'b']],
      ['no keys', () => [], []],
      ['nothing', () => undefined, []],
    ] satisfies [string, MapFunction<Thing>, string[]][]) {
      it(`reconciles the keys of a function that gives ${what}`, async () => {
        const { scene, watched } = await runWithWatch(map);
        watched.modified(thing('w/one', 101, { node: 'a' }));
        watched.work();
        await scene.rest();

        assert.deepEqual(recorder.keys, keys);
        assert.deepEqual(scene.errors, []);
      });
    }

    it('asks for the state before a change as well', async () => {
      const { scene, watched } = await runWithWatch((object) => `ns/${object.at('spec.node')}`);
      watched.modified(thing('w/one', 101, { node: 'b' }));
      watched.work();
      await scene.rest();

      assert.deepEqual(recorder.keys.toSorted(), ['ns/a', 'ns/b']);
    });

    for (const [what, map] of [
      ['throws', () => assert.fail('no idea')],
      ['rejects', () => Promise.reject(new Error('no idea'))],
      ['gives what is no key', () => 'a/b/c'],
      ['gives what is no text', () => [5] as never],
      ['gives what is no list', () => 5 as never],
    ] satisfies [string, MapFunction<Thing>][]) {
      it(`tells of a function that ${what}, and goes on`, async () => {
        let isBroken = true;
        const { scene, watched } = await runWithWatch((object) => (isBroken ? map() : object.key));
        scene.errors.length = 0;
        watched.added(thing('w/two', 101));
        watched.work();
        await scene.rest();
        isBroken = false;
        watched.added(thing('w/three', 102));
        watched.work();
        await scene.rest();

        assert.deepEqual(recorder.keys, ['w/three']);
        assert.deepEqual(
          scene.errors.map(({ code, key }) => [code, key]),
          [['mapping-failed', 'w/two']],
        );
      });
    }
  });

  describe('with predicates', () => {
    it('sees what passes all of them, and those of an informer are for that one', async () => {
      const [things, watched] = [makeThings(), makeThings()];
      const scene = await run({
        for: things.informer,
        predicates: [({ name }) => name.startsWith('a'), ({ name }) => name.endsWith('z')],
        watches: [watch(watched.informer, ({ key }) => key, { predicates: [({ name }) => name === 'x'] })],
      });
      for (const [i, name] of ['az', 'ab', 'bz'].entries()) things.added(thing(`ns/${name}`, 101 + i));
      for (const [i, name] of ['x', 'az'].entries()) watched.added(thing(`w/${name}`, 101 + i));
      things.work();
      watched.work();
      await scene.rest();

      assert.deepEqual(recorder.keys.toSorted(), ['ns/az', 'w/x']);
    });

    it('reconciles what one fails on, and tells of that', async () => {
      const things = makeThings();
      const scene = await run({ for: things.informer, predicates: [() => assert.fail('no idea')] });
      things.added(thing('ns/a', 101));
      things.work();
      await scene.rest();

      assert.deepEqual(recorder.keys, ['ns/a']);
      assert.deepEqual(
        scene.errors.map(({ code, key }) => [code, key]),
        [['predicate-failed', 'ns/a']],
      );
    });
  });

  describe('reconciles what changes', () => {
    const existing = ['a', 'b', 'c'].map((name, i) => thing(`ns/${name}`, i + 1));

    async function orderOf(queue: 'priority' | 'fifo'): Promise<{ first: string; begun: string[] }> {
      const things = makeThings(existing);
      const gate = new Gate();
      const scene = new Scene({ for: things.informer, reconcile: gate.reconcile, queue });
      scenes.push(scene);
      await scene.start();
      things.added(thing('ns/new', 101));
      things.work();
      for (let i = 0; i < 4; i++) {
        gate.end(gate.inside[0]!);
        await scene.rest();
      }
      return { first: gate.begun[0]!, begun: gate.begun };
    }

    it('before what was only listed', async () => {
      const { begun } = await orderOf('priority');

      assert.equal(begun[1], 'ns/new', 'the first key was taken before it came');
      assert.equal(begun.length, 4);
    });

    it('in order when its queue is first in, first out', async () => {
      const { begun } = await orderOf('fifo');

      assert.equal(begun[3], 'ns/new');
    });
  });
});

function withMetadata(object: Thing, metadata: object): Thing {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

function ownedBy(key: string, version: number, name: string, uid: string, change: object = {}): Thing {
  const reference = { apiVersion: 'v1', kind: 'Thing', name, uid, controller: true, ...change };
  const bystander = { apiVersion: 'v1', kind: 'Thing', name: 'bystander', uid: 'u-bystander' };
  return withMetadata(thing(key, version), { ownerReferences: [bystander, reference] });
}
