import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Harness, thing } from './harness.ts';

describe('informer.on', () => {
  it('tells of adds, updates, deletes, and all of them as changes', () => {
    const harness = new Harness();
    const seen: string[] = [];
    const { informer } = harness;
    informer.on('add', (object, { isInitial }) => seen.push(`add ${object.spec?.value} ${isInitial}`));
    informer.on('update', (object, { oldObject }) =>
      seen.push(`update ${oldObject?.spec?.value}>${object.spec?.value}`),
    );
    informer.on('delete', (object, { key }) => seen.push(`delete ${key} ${object.spec?.value}`));
    informer.on('change', (object, { type }) => seen.push(`change ${type} ${object.spec?.value}`));
    harness.list([thing('a/x', 1)], '1');
    harness.modified(thing('a/x', 2));
    harness.deleted(thing('a/x', 3));
    harness.work();

    assert.deepEqual(seen, [
      'add 1 true',
      'change add 1',
      'update 1>2',
      'change update 2',
      'delete a/x 3',
      'change delete 3',
    ]);
  });

  it('gives what exists to those that listen in the turn of the first one', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    const seen: string[] = [];
    harness.informer.on('delete', () => seen.push('delete'));
    harness.informer.on('add', ({ metadata }) => seen.push(metadata.name));
    await turn();
    harness.deleted(thing('a/x', 2));
    harness.work();

    assert.deepEqual(seen, ['x', 'delete']);
  });

  it('decodes nothing for what nobody listens to', () => {
    const harness = new Harness();
    harness.informer.on('delete', () => {});
    harness.list([thing('a/x', 1)], '1');
    harness.modified(thing('a/x', 2));
    harness.work();

    assert.equal(harness.informer.stats.decoded, 0);
  });

  it('is one handler as long as somebody listens, and none before and after', async () => {
    const harness = new Harness();
    const { informer } = harness;
    const handlers = () => informer.stats.handlers;
    const listener = () => {};
    informer.on('error', listener);
    assert.equal(handlers(), 0);
    informer.on('add', listener);
    informer.on('change', listener);
    assert.equal(handlers(), 1);
    informer.off('add', listener);
    assert.equal(handlers(), 1);
    informer.off('change', listener);
    assert.equal(handlers(), 0);
    const added = once(informer, 'add');
    assert.equal(handlers(), 1);
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    assert.equal((await added)[0].metadata.name, 'x');
    assert.equal(handlers(), 0);
    informer.removeAllListeners();
    informer.on('update', listener);
    assert.equal(handlers(), 1);
    informer.removeAllListeners('update');
    assert.equal(handlers(), 0);
  });

  it('reports a listener that throws, and an async one that rejects, and goes on', async () => {
    const harness = new Harness();
    const errors: string[] = [];
    harness.informer.on('error', ({ message }) => errors.push(message));
    harness.informer.on('add', async () => {
      throw new Error('later');
    });
    harness.informer.on('add', () => {
      throw new Error('at once');
    });
    harness.list([thing('a/x', 1), thing('a/y', 1)], '1');
    harness.work();
    await turn();

    assert.equal(errors.length, 4);
    assert.match(errors[0]!, /failed on the add of a\/x: at once/);
    assert.match(errors[2]!, /a listener for add of things.* failed: later/);
  });

  it('an async listener for errors that rejects is counted, and not told of itself', async () => {
    const harness = new Harness();
    harness.informer.on('error', async () => {
      throw new Error('oh no');
    });
    harness.informer.notice({ type: 'error', code: 'forbidden', message: 'things.v1: not allowed' });
    await turn();

    assert.equal(harness.informer.stats.errors, 2);
  });

  it('what a listener for errors throws is an uncaught exception, and nobody misses an event for it', async () => {
    const harness = new Harness();
    const caught: unknown[] = [];
    const catchIt = (error: unknown) => void caught.push(error);
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', catchIt);
    harness.informer.on('error', () => {
      throw new Error('broken listener');
    });
    harness.informer.addEventHandler({
      onEvent() {
        throw new Error('oh no');
      },
    });
    const seen: string[] = [];
    harness.informer.addEventHandler({ onEvent: ({ key }) => void seen.push(key) });
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();
    await turn();
    process.off('uncaughtException', catchIt);
    for (const other of others) process.on('uncaughtException', other);

    assert.deepEqual(seen, ['a/x', 'a/y']);
    assert.equal(caught.length, 2);
    assert.match(String(caught[0]), /broken listener/);
  });

  it('tells when the first list is complete, and of each watch', () => {
    const harness = new Harness();
    const seen: string[] = [];
    harness.informer.on('synced', () => seen.push('synced'));
    harness.informer.on('connect', () => seen.push('connect'));
    harness.list([], '1');
    harness.work();
    for (const state of ['watching', 'backingOff', 'watching'] as const) {
      harness.informer.notice({ type: 'state', state });
    }

    assert.deepEqual(seen, ['synced', 'connect', 'connect']);
  });
});

describe('informer.events', () => {
  it('gives what exists and what happens to a loop, until it breaks', async () => {
    const harness = new Harness();
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    const seen: string[] = [];
    const events = harness.informer.events();
    harness.modified(thing('a/x', 2));
    for await (const { type, key, resourceVersion } of events) {
      seen.push(`${type} ${key} ${resourceVersion}`);
      harness.deleted(thing('a/x', 3));
      harness.work();
      if (type === 'delete') break;
    }

    assert.deepEqual(seen.at(-1), 'delete a/x 3');
    assert.equal(harness.informer.stats.handlers, 0);
    assert.equal(harness.live.size, 0);
  });

  it('keeps an event readable until the next one is asked for', async () => {
    const harness = new Harness({ decodeCacheBytes: 0 });
    const events = harness.informer.events();
    harness.list([thing('a/x', 1)], '1');
    harness.work();
    const first = await events.next();
    for (let rv = 2; rv < 5; rv++) harness.modified(thing('a/x', rv));
    harness.work();
    await turn();

    assert.equal(first.value?.object.spec?.value, 1);
    const second = await events.next();
    assert.equal(second.value?.oldObject?.spec?.value, 1);
    await events.return();
  });

  it('merges what a slow loop can’t follow: it is bounded', async () => {
    const harness = new Harness();
    const events = harness.informer.events({ backlogLimit: 10 });
    harness.list([thing('a/x', 1)], '1');
    for (let rv = 2; rv < 1000; rv++) harness.modified(thing('a/x', rv));
    harness.work();
    assert.ok(harness.informer.stats.backlog <= 11);
    assert.ok(harness.live.size <= 25);
    let last = '';
    for (let i = 0; i < 11; i++) last = (await events.next()).value!.resourceVersion;

    assert.equal(last, '999');
    await events.return();
  });

  it('ends with its signal, also while it waits', async () => {
    const harness = new Harness();
    const abort = new AbortController();
    const events = harness.informer.events({ signal: abort.signal });
    const next = events.next();
    abort.abort();

    assert.deepEqual(await next, { done: true, value: undefined });
    assert.deepEqual(await events.next(), { done: true, value: undefined });
    assert.equal(harness.informer.stats.handlers, 0);
    const late = harness.informer.events({ signal: abort.signal });
    assert.equal((await late.next()).done, true);
  });

  it('ends when the informer stops', async () => {
    const harness = new Harness();
    const events = harness.informer.events();
    const loop = (async () => {
      for await (const _ of events);
    })();
    harness.informer.stopped();
    await loop;
  });

  it('takes a filter', async () => {
    const harness = new Harness();
    const events = harness.informer.events({ filter: ({ name }) => name === 'y' });
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();

    assert.equal((await events.next()).value?.key, 'a/y');
    await events.return();
  });

  it('answers several questions at once in order', async () => {
    const harness = new Harness();
    const events = harness.informer.events();
    const both = Promise.all([events.next(), events.next()]);
    harness.list([thing('a/x', 1), thing('a/y', 2)], '2');
    harness.work();

    assert.deepEqual(
      (await both).map(({ value }) => value?.key),
      ['a/x', 'a/y'],
    );
    await events.return();
  });
});
