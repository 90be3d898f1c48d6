import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drop, isReadable, keep, parseFieldPath } from '../../src/index/index.ts';

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

describe('keep', () => {
  it('makes a projection of its paths and of the identity of objects', () => {
    const { type, paths } = keep('metadata.labels', 'spec.containers[*].image');

    assert.equal(type, 'keep');
    assert.deepEqual(paths.slice(0, 3), [
      [{ key: 'kind' }],
      [{ key: 'apiVersion' }],
      [{ key: 'metadata' }, { key: 'name' }],
    ]);
    assert.deepEqual(paths.at(-1), [
      { key: 'spec' },
      { key: 'containers' },
      { each: true },
      { key: 'image' },
    ]);
  });

  for (const [path, message] of [
    ['spec.containers[0].env', /can't be kept: only keys and \[\*\] can lead to what is kept/],
    ['keys(metadata.labels)', /only keys and \[\*\] can lead/],
    ['spec.containers[*]', /its last step has to be a key/],
  ] as const) {
    it(`refuses ${path}`, () => {
      assert.throws(() => keep('spec', path), { name: 'FieldPathError', code: 'FIELD_PATH_KEEP', message });
    });
  }

  it('refuses to keep nothing', () => {
    assert.throws(() => keep(), { code: 'FIELD_PATH_KEEP' });
  });
});

describe('what a projection leaves', () => {
  const dropped = drop(
    'metadata.managedFields',
    'metadata.labels.secret',
    'spec.containers[*].env',
    'status',
  );
  const kept = keep('metadata.labels', 'spec.containers[*].image', 'status.conditions[*].status');
  for (const [path, afterDrop, afterKeep] of [
    ['metadata.name', true, true],
    ['metadata.labels.app', true, true],
    ['metadata.labels.secret', false, true],
    ['keys(metadata.labels)', false, true],
    ['keys(metadata)', false, false],
    ['metadata.managedFields[*].manager', false, false],
    ['spec.nodeName', true, false],
    ['spec', true, false],
    ['keys(spec)', true, false],
    ['spec.containers[0].env[*].name', false, false],
    ['spec.containers[*].image', true, true],
    ['spec.containers[3].image', true, true],
    ["spec.containers[?(@.name=='a')].image", true, false],
    ["spec.containers[?(@.env=='a')].image", false, false],
    ["spec.containers[?(@.image=='a')].image", true, true],
    ['status.conditions[*].status', false, true],
    ['status.phase', false, false],
  ] as const) {
    it(`${afterDrop ? 'has' : 'has not'} ${path} after drop, and ${afterKeep ? 'has' : 'has not'} after keep`, () => {
      const steps = parseFieldPath(path);
      assert.equal(isReadable(dropped, steps), afterDrop);
      assert.equal(isReadable(kept, steps), afterKeep);
    });
  }
});
