import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type {
  ApiObject,
  ControllerOptions,
  ReconcileFunction,
  TrackableClient,
} from '../../src/controller/index.ts';
import type { Harness, Thing } from '../informer/harness.ts';
import { thing } from '../informer/harness.ts';
import { makeThings, Scene } from './controller-set-up.ts';

const THINGS = { group: '', version: 'v1', resource: 'things' };

describe('a key whose reconcile has written', () => {
  let things: Harness;
  let scene: Scene;
  /** Times of the reconciles by name. */
  let calls: [ms: number, name: string][];

  beforeEach(() => {
    things = makeThings([thing('ns/a', 1), thing('ns/b', 2)]);
    calls = [];
  });

  afterEach(async () => {
    await scene.stop();
  });

  /** Runs a controller that does this in the first reconcile of `a`. */
  async function run(write: ReconcileFunction<Thing>, options: Partial<ControllerOptions<Thing>> = {}) {
    let hasWritten = false;
    scene = new Scene({
      for: things.informer,
      reconcile: async (request, context) => {
        calls.push([scene.clock.now(), request.name]);
        if (request.name !== 'a' || hasWritten) return;
        hasWritten = true;
        await write(request, context);
      },
      ...options,
    });
    await scene.start();
    calls.length = 0;
  }

  /** Something else has both keys reconciled. */
  async function touch(): Promise<void> {
    for (const key of ['ns/a', 'ns/b']) scene.controller.enqueue(key);
    await scene.rest();
  }

  const names = () => calls.map(([, name]) => name);
  const writes = (version: number, key = 'ns/a'): ReconcileFunction<Thing> => {
    return (_, { recordWrite }) => recordWrite(THINGS, thing(key, version));
  };

  it('waits until the cache has the object as it was written, and other keys do not', async () => {
    await run(writes(150));
    await touch();
    await scene.advance(1000);
    assert.deepEqual(calls, [[0, 'b']]);
    assert.equal(scene.controller.stats.waitingForCache, 1);

    things.modified(thing('ns/a', 149));
    things.work();
    await scene.advance(20);
    assert.equal(calls.length, 1, 'that is not it');

    things.modified(thing('ns/a', 150));
    things.work();
    await scene.advance(10);
    assert.deepEqual(calls[1], [1030, 'a']);
    assert.equal(calls.length, 2, 'once for all that came meanwhile');
    const { cacheWaits, cacheTimeouts, waitingForCache } = scene.controller.stats;
    assert.deepEqual(
      { cacheWaits, cacheTimeouts, waitingForCache },
      {
        cacheWaits: 1,
        cacheTimeouts: 0,
        waitingForCache: 0,
      },
    );
  });

  it('waits until the whole cache is at the version, by any event', async () => {
    await run(writes(150));
    await touch();
    things.modified(thing('ns/b', 151));
    things.work();
    await scene.advance(10);

    assert.ok(names().includes('a'));
  });

  it('or by a bookmark, for an object that the cache will never have', async () => {
    await run(writes(150, 'ns/filtered-out'));
    await touch();
    things.bookmark('150');
    things.work();
    await scene.advance(10);

    assert.deepEqual(names().toSorted(), ['a', 'b']);
    assert.equal(scene.controller.stats.cacheTimeouts, 0);
  });

  it('waits no longer than 5 s after the write', async () => {
    await run(writes(150));
    await scene.advance(2000);
    await touch();
    await scene.advance(2990);
    assert.deepEqual(calls, [[2000, 'b']]);

    await scene.advance(20);
    assert.deepEqual(calls[1], [5000, 'a']);
    assert.equal(scene.controller.stats.cacheTimeouts, 1);
  });

  it('waits for the longest of several', async () => {
    await run((request, context) => {
      writes(103, 'ns/a')(request, context);
      writes(105, 'ns/c')(request, context);
      writes(104, 'ns/b')(request, context);
    });
    await touch();
    for (const version of [103, 104]) {
      things.added(thing(`ns/x${version}`, version));
      things.work();
      await scene.advance(10);
    }
    assert.ok(!names().includes('a'));

    things.added(thing('ns/c', 105));
    things.work();
    await scene.advance(10);
    assert.ok(names().includes('a'));
  });

  it('waits also when the reconcile failed after the write, and tries again then', async () => {
    await run((_, { recordWrite }) => {
      recordWrite(THINGS, thing('ns/a', 150));
      throw new Error('and then it failed');
    });
    await scene.advance(1000);
    assert.deepEqual(calls, []);

    things.modified(thing('ns/a', 150));
    things.work();
    await scene.advance(10);
    assert.deepEqual(calls, [[1005, 'a']]);
  });

  it('waits for a deletion until the cache has it deleted, or being deleted', async () => {
    for (const isGone of [true, false]) {
      things = makeThings([thing('ns/a', 1), thing('ns/b', 2)]);
      calls = [];
      const b = thing('ns/b', 2);
      await run((_, { recordDelete }) => recordDelete(THINGS, b));
      scene.controller.enqueue('ns/a');
      await scene.advance(100);
      assert.deepEqual(calls, []);

      if (isGone) things.deleted(thing('ns/b', 103));
      else things.modified(beingDeleted('ns/b', 103));
      things.work();
      await scene.advance(10);
      assert.ok(names().includes('a'));
      await scene.stop();
    }
  });

  it('ends its waiting when the controller stops', async () => {
    await run(writes(150));
    await touch();
    await scene.stop();

    assert.equal(scene.outcome, 'resolved');
    assert.equal(scene.clock.pending, 0);
  });

  for (const [what, write] of Object.entries<ReconcileFunction<Thing>>({
    'of a resource that it has no cache of': (_, { recordWrite }) =>
      recordWrite({ ...THINGS, resource: 'others' }, thing('ns/a', 150)),
    'of a version that can not be compared': (_, { recordWrite }) =>
      recordWrite(THINGS, { metadata: { namespace: 'ns', name: 'a', resourceVersion: 'abc' } }),
    'without a version': (_, { recordWrite }) => recordWrite(THINGS, { metadata: { name: 'a' } }),
    'without anything': (_, { recordWrite }) => recordWrite(THINGS, {}),
    'that the cache has already': writes(100),
  })) {
    it(`does not wait for a write ${what}`, async () => {
      await run(write);
      await touch();

      assert.deepEqual(names().toSorted(), ['a', 'b']);
    });
  }

  it('does not wait when it is told not to', async () => {
    await run(writes(150), { cacheWaitMs: 0 });
    await touch();

    assert.deepEqual(names().toSorted(), ['a', 'b']);
  });

  it('is told of writes by a client that is tracked', async () => {
    const requests: string[] = [];
    const answer = (verb: string) => {
      return async <T extends ApiObject>(): Promise<T> => {
        requests.push(verb);
        return thing('ns/a', 150) as unknown as T;
      };
    };
    const client: TrackableClient = {
      get: answer('get'),
      create: answer('create'),
      update: answer('update'),
      patch: answer('patch'),
      delete: answer('delete'),
    };
    const verbs = ['get', 'create', 'update', 'patch', 'delete'] as const;
    for (const verb of verbs) {
      things = makeThings([thing('ns/a', 1), thing('ns/b', 2)]);
      await run(async (_, { track }) => {
        const tracked = track(client);
        const object = verb === 'create' || verb === 'update' ? thing('ns/a', 1) : { name: 'a' };
        const written = await tracked[verb](THINGS, object as never, {} as never);
        assert.deepEqual(written, thing('ns/a', 150));
      });
      await touch();
      assert.equal(names().includes('a'), verb === 'get', verb);
      await scene.stop();
    }

    assert.deepEqual(requests, verbs);
  });
});

function beingDeleted(key: string, version: number): Thing {
  const plain = thing(key, version);
  const metadata = { ...plain.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
  return { ...plain, metadata };
}
