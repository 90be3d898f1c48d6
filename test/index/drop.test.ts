import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drop } from '../../src/index/index.ts';

describe('drop', () => {
  it('makes a projection of its paths', () => {
    assert.deepEqual(drop('metadata.managedFields', 'spec.containers[*].env'), {
      type: 'drop',
      paths: [
        [{ key: 'metadata' }, { key: 'managedFields' }],
        [{ key: 'spec' }, { key: 'containers' }, { each: true }, { key: 'env' }],
      ],
    });
    assert.deepEqual(drop(), { type: 'drop', paths: [] });
  });

  for (const path of [
    'spec',
    'status.conditions',
    'metadata.labels',
    'metadata.names',
    'spec.kind',
    'metadata.name.x',
  ]) {
    it(`takes ${path}`, () => {
      assert.equal(drop(path).paths.length, 1);
    });
  }

  for (const path of [
    'kind',
    '$.apiVersion',
    'metadata',
    'metadata.name',
    "metadata['namespace']",
    '.metadata.uid',
    'metadata.resourceVersion',
  ]) {
    it(`refuses ${path}, which the cache needs`, () => {
      assert.throws(() => drop('spec', path), {
        name: 'FieldPathError',
        code: 'FIELD_PATH_DROP',
        path,
        message: /can't be dropped: the cache needs (kind|apiVersion|metadata\.\w+) of every object/,
      });
    });
  }

  for (const [path, message] of [
    ['spec.containers[0]', /only keys and \[\*\] can lead/],
    ['spec.containers[0].env', /only keys and \[\*\] can lead/],
    ['keys(metadata.labels)', /only keys and \[\*\] can lead/],
    ['spec.containers[*]', /its last step has to be a key/],
  ] as const) {
    it(`refuses ${path}, which is no key`, () => {
      assert.throws(() => drop(path), { code: 'FIELD_PATH_DROP', message });
    });
  }

  it('refuses what is no path', () => {
    assert.throws(() => drop('a..b'), { code: 'FIELD_PATH_SYNTAX' });
  });
});
