import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
} from '../../src/controller/index.ts';
import type { InformerEvent } from '../../src/informer/index.ts';
import { Harness, type Thing, thing } from '../informer/harness.ts';
import { makeThings } from './controller-set-up.ts';
import { settle } from './manual-clock.ts';

/** What a predicate says of an update between two states of an object. */
async function passes(
  predicate: Predicate<Thing>,
  before: object,
  after: object,
  version = 101,
): Promise<boolean> {
  const things = makeThings([withMetadata(100, before)]);
  const said: boolean[] = [];
  things.informer.addEventHandler({ onEvent: (event) => void said.push(predicate(event)) });
  things.work();
  await settle();
  said.length = 0;
  things.modified(withMetadata(version, after));
  things.work();
  await settle();
  assert.equal(said.length, 1);
  return said[0]!;
}

describe('generationChanged', () => {
  it('lets through what changes the generation, and not what does not', async () => {
    assert.equal(await passes(generationChanged, { generation: 1 }, { generation: 2 }), true);
    assert.equal(
      await passes(generationChanged, { generation: 2 }, { generation: 2, labels: { a: 'b' } }),
      false,
    );
  });

  it('lets all changes through of objects that have no generation', async () => {
    assert.equal(await passes(generationChanged, {}, { labels: { a: 'b' } }), true);
  });
});

describe('labelsChanged', () => {
  it('lets through what changes a label, and not what does not', async () => {
    assert.equal(await passes(labelsChanged, { labels: { a: 'b' } }, { labels: { a: 'c' } }), true);
    assert.equal(await passes(labelsChanged, {}, { labels: { a: 'c' } }), true);
    assert.equal(
      await passes(labelsChanged, { labels: { a: 'b' } }, { labels: { a: 'b' }, generation: 2 }),
      false,
    );
    assert.equal(await passes(labelsChanged, {}, { annotations: { a: 'b' } }), false);
  });
});

describe('annotationsChanged', () => {
  it('lets through what changes an annotation, and not what does not', async () => {
    assert.equal(await passes(annotationsChanged, { annotations: { a: 'b' } }, { annotations: {} }), true);
    assert.equal(
      await passes(annotationsChanged, { annotations: { a: 'b' } }, { annotations: { a: 'b' } }),
      false,
    );
  });
});

describe('resourceVersionChanged', () => {
  it('lets every change through', async () => {
    assert.equal(await passes(resourceVersionChanged, {}, {}), true);
  });

  it('does not let a resync through', () => {
    const things = new Harness();
    const said: boolean[][] = [];
    const onEvent = (event: InformerEvent<Thing>) => {
      if (event.isResync) said.push([generationChanged, resourceVersionChanged].map((one) => one(event)));
    };
    things.informer.addEventHandler({ onEvent }, { resyncMs: 1000 });
    things.informer.started();
    things.list([thing('ns/a', 1), withMetadata(2, { name: 'b', generation: 1 })], '100');
    for (let step = 0; step < 30; step++) {
      things.work();
      things.clock.advance(50);
    }

    assert.deepEqual(said, [
      [false, false],
      [false, false],
    ]);
  });
});

for (const predicate of [generationChanged, labelsChanged, annotationsChanged, resourceVersionChanged]) {
  describe(predicate.name, () => {
    it('lets through what comes and goes, and whatever happens to what is being deleted', async () => {
      const deletionTimestamp = '2030-01-01T00:00:00Z';
      const things = makeThings([withMetadata(100, { generation: 1 })]);
      const said: [InformerEvent['type'], boolean][] = [];
      things.informer.addEventHandler({
        onEvent: (event) => void said.push([event.type, predicate(event)]),
      });
      things.work();
      await settle();
      things.modified(withMetadata(101, { generation: 1, deletionTimestamp, finalizers: ['a/b'] }));
      things.work();
      await settle();
      things.modified(withMetadata(102, { generation: 1, deletionTimestamp }));
      things.work();
      await settle();
      things.deleted(withMetadata(103, { generation: 1, deletionTimestamp }));
      things.work();
      await settle();

      assert.deepEqual(said, [
        ['add', true],
        ['update', true],
        ['update', true],
        ['delete', true],
      ]);
    });

    it('decodes nothing', async () => {
      const things = makeThings([withMetadata(100, { generation: 1 })]);
      things.informer.addEventHandler({ onEvent: (event) => void predicate(event) });
      things.work();
      await settle();
      things.modified(withMetadata(101, { generation: 2 }));
      things.work();
      await settle();

      assert.equal(things.informer.stats.decoded, 0);
    });
  });
}

describe('predicates', () => {
  const yes = () => true;
  const no = () => false;
  const fail = () => assert.fail('asked in vain');
  const event = {} as InformerEvent;

  it('can be put together', async () => {
    assert.deepEqual([and(yes, yes)(event), and(yes, no)(event), and()(event)], [true, false, true]);
    assert.deepEqual([or(no, yes)(event), or(no, no)(event), or()(event)], [true, false, false]);
    assert.deepEqual([not(yes)(event), not(no)(event)], [false, true]);
  });

  it('are asked no longer than needed', async () => {
    assert.equal(and(no, fail)(event), false);
    assert.equal(or(yes, fail)(event), true);
  });

  it('have to be functions', async () => {
    for (const make of [() => and(yes, 1 as never), () => or('a' as never), () => not(undefined as never)]) {
      assert.throws(make, {
        code: 'KUBERING_USAGE',
        message: /a predicate is a function of an event, not a/,
      });
    }
  });
});

function withMetadata(version: number, metadata: object): Thing {
  const plain = thing('ns/a', version);
  return { ...plain, metadata: { ...plain.metadata, ...metadata } };
}
