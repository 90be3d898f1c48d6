import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BytePath, compileAccessor, indexBy, parseFieldPath } from '../../src/index/index.ts';

const POD = {
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    labels: { app: 'web', 'app.kubernetes.io/name': 'web', "it's": 'quoted' },
    annotations: { note: '' },
    ownerReferences: [{ uid: 'u1' }, { uid: 'u2', controller: true }, { uid: 'u1' }, { name: 'no uid' }],
    deletionTimestamp: null,
  },
  spec: {
    nodeName: 'node-7',
    priority: 0,
    hostNetwork: false,
    overhead: 1.5,
    containers: [{ ports: [1, 2] }, {}],
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      7,
      { type: 'Initialized', status: 'False' },
      { status: 'x' },
    ],
    podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
  },
};

describe('accessor', () => {
  for (const [path, ...values] of [
    ['spec.nodeName', 'node-7'],
    [indexBy.namespace, 'shop'],
    [indexBy.nodeName, 'node-7'],
    [indexBy.phase, 'Running'],
    [indexBy.ownerUid, 'u1', 'u2'],
    [indexBy.controllerUid, 'u2'],
    [indexBy.labelName, 'app', 'app.kubernetes.io/name', "it's"],
    [indexBy.condition('Ready'), 'True'],
    [indexBy.condition('Missing')],
    ['status.conditions[?(@.type=="Ready")]'],
    ['status.conditions[?(@.status=="x")].type'],
    ['spec.containers[?(@.ports==1)].ports'],
    [indexBy.label('app.kubernetes.io/name'), 'web'],
    [indexBy.label("it's"), 'quoted'],
    [indexBy.annotation('note'), ''],
    ['status.podIPs[1].ip', 'fd00::1'],
    ['status.podIPs[2].ip'],
    ['spec.containers[*].ports[*]', '1', '2'],
    ['spec.containers[0].ports[1]', '2'],
    ['keys(metadata.labels)', 'app', 'app.kubernetes.io/name', "it's"],
    ['keys(metadata.ownerReferences)'],
    ['keys(metadata.ownerReferences[*])', 'uid', 'controller', 'name'],
    ['keys(metadata.name)'],
    ['spec.priority', '0'],
    ['spec.hostNetwork', 'false'],
    ['spec.overhead', '1.5'],
    ['metadata.deletionTimestamp'],
    ['metadata.labels'],
    ['metadata.ownerReferences'],
    ['metadata.labels[*]'],
    ['metadata.labels[0]'],
    ['metadata.ownerReferences.uid'],
    ['metadata.ownerReferences.length'],
    ['metadata.name.length'],
    ['no.such.thing'],
  ] as [string, ...string[]][]) {
    it(`gives ${values.length === 0 ? 'nothing' : values.join(', ')} for ${path}`, () => {
      assert.deepEqual(valuesAt(POD, path), values);
      const bytes = Buffer.from(`.${JSON.stringify(POD)}}]`);
      assert.deepEqual(
        new BytePath(parseFieldPath(path)).indexValues(bytes, 1, bytes.length - 2),
        values,
        'of bytes',
      );
    });
  }

  it('gives nothing for what is no object', () => {
    for (const value of [undefined, null, 'text', 7, []]) assert.deepEqual(valuesAt(value, 'kind'), []);
  });

  it('sees own properties only', () => {
    assert.deepEqual(valuesAt({}, 'constructor.name'), []);
    assert.deepEqual(valuesAt({}, "['__proto__'].constructor.name"), []);
    assert.deepEqual(valuesAt(Object.create({ kind: 'inherited' }), 'kind'), []);
    assert.deepEqual(valuesAt({ list: new Array(2) }, 'list[0]'), []);
  });

  it('sees keys that only look like those of a prototype', () => {
    const object: unknown = JSON.parse('{"__proto__": {"constructor": "own"}, "hasOwnProperty": "mine"}');

    assert.deepEqual(valuesAt(object, "['__proto__'].constructor"), ['own']);
    assert.deepEqual(valuesAt(object, 'hasOwnProperty'), ['mine']);
    assert.equal(({} as Record<string, unknown>).constructor, Object);
  });
});

function valuesAt(object: unknown, path: string): string[] {
  return compileAccessor(parseFieldPath(path))(object);
}
