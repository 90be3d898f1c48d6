import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError, ReleasedObjectError } from '../../src/store/index.ts';
import { Cache, type Thing, thing } from './lister-support.ts';

describe('ref', () => {
  it('gives a part of an object without decoding the rest', () => {
    const { cache, ref } = one(thing('a/x', { containers: [{ name: 'c1', ports: [1] }, { name: 'c2' }] }));

    assert.deepEqual(ref.at('spec.containers'), [{ name: 'c1', ports: [1] }, { name: 'c2' }]);
    assert.equal(ref.at('spec.containers[1].name'), 'c2');
    assert.equal(ref.at('metadata.name'), 'x');
    assert.equal(ref.at('spec.missing.more'), undefined);
    assert.equal(ref.at('spec.containers[2]'), undefined);
    assert.equal(cache.bodies.decoded, 0);
  });

  it('gives all values of a path that has several', () => {
    const { ref } = one(thing('a/x', { containers: [{ name: 'c1' }, { name: 'c2' }], a: 1 }));

    assert.deepEqual(ref.at('spec.containers[*].name'), ['c1', 'c2']);
    assert.deepEqual(ref.at('spec.missing[*].name'), []);
    assert.deepEqual(ref.at("spec.containers[?(@.name=='c2')]"), [{ name: 'c2' }]);
    assert.deepEqual(ref.at('keys(spec)'), ['containers', 'a']);
    assert.equal(ref.jsonAt('spec.containers[*]'), '[{"name":"c1"},{"name":"c2"}]');
  });

  it('gives a value of its own each time', () => {
    const { cache, ref } = one(thing('a/x', { list: [1] }));
    const list = ref.at<number[]>('spec.list')!;
    list.push(2);

    assert.deepEqual(ref.at('spec.list'), [1]);
    assert.deepEqual(cache.lister.get('a/x')!.spec, { list: [1] });
  });

  it('gives numbers that a double can not hold, exactly', () => {
    const json =
      '{"metadata":{"name":"x"},"spec":{"big":9223372036854775807,"list":[9007199254740993,0.10]}}';
    const { ref } = one(thing('x'), json);

    assert.equal(BigInt(ref.jsonAt('spec.big')!), 9223372036854775807n);
    assert.equal(ref.jsonAt('spec.list[0]'), '9007199254740993');
    assert.equal(ref.jsonAt('spec.list'), '[9007199254740993,0.10]');
    assert.equal(ref.jsonAt('spec.missing'), undefined);
  });

  it('counts the last of two values of one key, as JSON.parse does', () => {
    const json = '{"metadata":{"name":"x"},"spec":{"a":1},"sp\\u0065c":{"a":2,"a":{"b":"\\"}"}}}';
    const { cache, ref } = one(thing('x'), json);

    assert.equal(ref.at('spec.a.b'), '"}');
    assert.deepEqual(ref.at('spec'), cache.lister.get('x')!.spec);
  });

  it('says that a body is broken, with its key, and counts it', () => {
    const { cache, ref } = one(thing('a/x'), '{"metadata":{"name":"x"},"spec":{"a":}}');

    assert.throws(
      () => ref.at('spec.a'),
      (error) => error instanceof DecodeError && error.key === 'a/x',
    );
    assert.throws(() => ref.jsonAt('spec.a.b'), { name: 'DecodeError' });
    assert.equal(ref.at('metadata.name'), 'x', 'brackets are passed over, not what is between them');
    assert.equal(cache.bodies.failed, 2);
  });

  it('reads nothing of an object that took its place', () => {
    const { cache, ref } = one(thing('a/x', { a: 1 }));
    const column = () => ref.column('a');
    cache.put(thing('a/x', { a: 2 }));
    cache.put(thing('a/x', { a: 3 }));

    for (const read of [
      () => ref.at('spec.a'),
      () => ref.jsonAt('spec'),
      () => ref.object,
      () => ref.json,
      column,
    ]) {
      assert.throws(read, ReleasedObjectError);
    }
  });

  it('reads columns as text, numbers and truth values, without decoding', () => {
    const columns = {
      replicas: { path: 'spec.replicas', type: 'number' },
      exact: 'spec.replicas',
      paused: { path: 'spec.paused', type: 'boolean' },
      ready: { path: "status.conditions[?(@.type=='Ready')].status" },
      isReady: { path: 'spec.isReady', type: 'boolean' },
    } as const;
    const cache = new Cache({ columns });
    cache.put({
      ...thing('a', { replicas: 3, paused: true }),
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    cache.put(thing('b', { replicas: 'many', paused: 'yes', isReady: 'false' }));
    cache.put(thing('c', { replicas: -1.5e3, paused: null }));
    cache.put(thing('d', { replicas: '0x10' }));
    const read = (key: string) =>
      Object.keys(columns).map((name) => cache.lister.ref(key)!.column<string | number | boolean>(name));

    assert.deepEqual(read('a'), [3, '3', true, 'True', undefined]);
    assert.deepEqual(read('b'), [undefined, 'many', undefined, undefined, false]);
    assert.deepEqual(read('c'), [-1500, '-1500', undefined, undefined, undefined]);
    assert.deepEqual(read('d'), [undefined, '0x10', undefined, undefined, undefined]);
    assert.equal(cache.bodies.decoded, 0);
  });
});

describe('decoded object', () => {
  it('has kind and apiVersion, also when items of a list have neither', () => {
    const cache = new Cache();
    cache.bodies.typeMeta = { kind: 'Thing', apiVersion: 'v1' };
    cache.put(thing('a'));
    cache.put({ ...thing('b'), kind: '', apiVersion: 'v2' });
    cache.put({ ...thing('c'), kind: 'Own', apiVersion: 'v3' });
    const typeOf = (key: string) => {
      const { kind, apiVersion } = cache.lister.get(key)!;
      return `${apiVersion} ${kind}`;
    };

    assert.deepEqual(['a', 'b', 'c'].map(typeOf), ['v1 Thing', 'v2 Thing', 'v3 Own']);
    assert.deepEqual(Object.keys(cache.lister.get('a')!).slice(0, 2), ['kind', 'apiVersion']);
  });

  it('has keys called __proto__ as any others, and no prototype from them', () => {
    const json =
      '{"__proto__":{"polluted":1},"metadata":{"name":"x","labels":{"__proto__":"l"}},"spec":{"constructor":{}}}';
    const { cache, ref } = one(thing('x'), json);
    cache.bodies.typeMeta = { kind: 'Thing', apiVersion: 'v1' };
    const object = ref.object as Thing & { polluted?: number };

    assert.equal(object.polluted, undefined);
    assert.equal(Object.getPrototypeOf(object), Object.prototype);
    assert.deepEqual(Object.getOwnPropertyDescriptor(object, '__proto__')?.value, { polluted: 1 });
    assert.equal(({} as { polluted?: number }).polluted, undefined);
    assert.deepEqual(ref.at("['__proto__']"), { polluted: 1 });
    assert.deepEqual(cache.lister.keys({ labelSelector: 'toString' }), []);
  });

  it('is the same for everybody while it is cached, and another after its next version', () => {
    const { cache, ref } = one(thing('a/x', { a: 1 }));
    const { object } = ref;

    assert.equal(cache.lister.get('a/x'), object);
    assert.equal(cache.lister.list()[0], object);
    assert.equal([...cache.lister.query()][0]!.object, object);
    assert.equal(cache.bodies.decoded, 1);
    cache.put(thing('a/x', { a: 2 }));
    assert.notEqual(cache.lister.get('a/x'), object);
    assert.deepEqual(object.spec, { a: 1 });
  });

  it('stays within a budget of entries, and what is looked at stays longest', () => {
    const cache = new Cache({ decodeCacheEntries: 10 });
    for (let i = 0; i < 30; i++) cache.put(thing(`a/${i}`));
    const often = cache.lister.get('a/0');
    for (let i = 1; i < 30; i++) {
      cache.lister.get(`a/${i}`);
      assert.equal(cache.lister.get('a/0'), often);
      assert.ok(cache.bodies.cachedEntries <= 10);
    }

    assert.equal(cache.bodies.decoded, 30);
    cache.lister.get('a/1');
    assert.equal(cache.bodies.decoded, 31, 'what nobody looked at has gone');
  });

  it('stays within a budget of bytes', () => {
    const cache = new Cache({ decodeCacheBytes: 5000 });
    for (let i = 0; i < 30; i++) cache.put(thing(`a/${i}`, { text: 'x'.repeat(500) }));
    cache.put(thing('a/large', { text: 'x'.repeat(6000) }));
    cache.lister.list();

    assert.ok(cache.bodies.cachedBytes <= 5000 && cache.bodies.cachedBytes > 3000);
    assert.notEqual(cache.lister.get('a/large'), cache.lister.get('a/large'), 'too large to be kept');
    for (let i = 0; i < 30; i++) cache.remove(`a/${i}`);
    assert.equal(cache.bodies.cachedBytes, 0);
  });

  it('is kept by nobody when the budget is 0', () => {
    for (const options of [{ decodeCacheEntries: 0 }, { decodeCacheBytes: 0 }]) {
      const cache = new Cache(options);
      cache.put(thing('a'));
      cache.lister.get('a');
      assert.deepEqual([cache.bodies.cachedEntries, cache.bodies.cachedBytes], [0, 0]);
    }
  });

  it('throws where it is written to, when it is frozen', () => {
    const cache = new Cache({ freeze: true });
    cache.put(thing('a', { list: [{ a: 1 }] }));
    const object = cache.lister.get('a')!;

    assert.throws(() => {
      object.metadata.labels = {};
    }, TypeError);
    assert.throws(() => (object.spec!.list as unknown[]).push(1), TypeError);
  });
});

function one(object: Thing, json?: string) {
  const cache = new Cache({ columns: { a: 'spec.a' } });
  cache.put(object, json);
  const { namespace = '', name } = object.metadata;
  return { cache, ref: cache.lister.ref(namespace === '' ? name : `${namespace}/${name}`)! };
}
