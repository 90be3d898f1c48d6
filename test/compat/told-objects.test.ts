import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubernetesObject } from '@kubernetes/client-node';
import { ToldObjects } from '../../src/compat/told-objects.ts';
import type { Lister } from '../../src/informer/index.ts';

describe('told objects', () => {
  it('call a change by what was told before, whatever the event says', () => {
    const told = new ToldObjects<Thing>();
    assert.equal(told.take(event('add', 'ns/a', '1')), 'add');
    assert.equal(told.take(event('update', 'ns/a', '2')), 'update');
    assert.equal(told.take(event('add', 'ns/a', '2')), undefined);
    assert.equal(told.take(event('add', 'ns/a', '3')), 'update');
    assert.equal(told.take(event('update', 'ns/b', '4')), 'add');
    assert.equal(told.take(event('delete', 'ns/a', '5')), 'delete');
    assert.equal(told.take(event('delete', 'ns/a', '5')), undefined);
  });

  it('tell after a stop only what changed meanwhile', () => {
    const told = stopped(['ns/a', 'ns/b', 'ns/c']);
    told.attach(listerOf(['ns/a', 'ns/b']));
    assert.equal(told.take(event('add', 'ns/a', '1')), undefined);
    assert.equal(told.take(event('add', 'ns/b', '2')), 'update');

    const gone: string[] = [];
    told.settle((key, object) => gone.push(`${key} ${object.metadata!.name}`));
    told.settle((key) => gone.push(key));
    assert.deepEqual(gone, ['ns/c c']);
    assert.equal(told.get('c', 'ns'), undefined);
  });

  it('answer from before the stop until the new list has come', () => {
    const told = stopped(['ns/a', 'other/b', 'node']);
    assert.deepEqual(names(told.list(undefined)), ['a', 'b', 'node']);
    told.attach(listerOf(['ns/a']));

    assert.deepEqual(names(told.list(undefined)), ['a', 'b', 'node']);
    assert.deepEqual(names(told.list('other')), ['b']);
    assert.equal(told.get('node', undefined)?.metadata?.name, 'node');
    told.settle(() => {});
    assert.deepEqual(names(told.list(undefined)), ['a']);
  });

  it('keep what was known through a stop that comes before the new list', () => {
    const told = stopped(['ns/a', 'ns/b']);
    told.attach(listerOf(['ns/a']));
    told.take(event('add', 'ns/a', '1'));
    told.detach(true);

    assert.deepEqual(names(told.list('ns')), ['a', 'b']);
    told.attach(listerOf([]));
    const gone: string[] = [];
    told.settle((key, object) => gone.push(`${key} ${object.metadata!.name}`));
    assert.deepEqual(gone, ['ns/a a', 'ns/b b']);
  });

  it('tell a delete by name when nothing else is left of the object', () => {
    const told = stopped(['ns/a', 'node'], []);
    told.attach(listerOf([]));
    const gone: Thing[] = [];
    told.settle((_key, object) => gone.push(object));

    assert.deepEqual(gone, [{ metadata: { namespace: 'ns', name: 'a' } }, { metadata: { name: 'node' } }]);
  });
});

type Thing = KubernetesObject;

/** Objects at version 1 that were told before a stop; `cached` is what the cache still had then. */
function stopped(keys: readonly string[], cached = keys): ToldObjects<Thing> {
  const told = new ToldObjects<Thing>();
  told.attach(listerOf(cached));
  for (const key of keys) told.take(event('add', key, '1'));
  told.detach(true);
  return told;
}

function event(type: 'add' | 'update' | 'delete', key: string, resourceVersion: string) {
  return { type, key, resourceVersion };
}

function listerOf(keys: readonly string[]): Lister<Thing> {
  const objects = new Map(keys.map((key) => [key, { metadata: { name: key.slice(key.indexOf('/') + 1) } }]));
  const lister: Pick<Lister<Thing>, 'get' | 'has' | 'keys' | 'list'> = {
    get: (key) => objects.get(key),
    has: (key) => objects.has(key),
    keys: () => [...objects.keys()],
    list: ({ namespace } = {}) =>
      [...objects]
        .filter(([key]) => !namespace || key.startsWith(`${namespace}/`))
        .map(([, object]) => object),
  };
  return lister as Lister<Thing>;
}

function names(objects: readonly Thing[]): string[] {
  return objects.map(({ metadata }) => metadata!.name!).sort();
}
