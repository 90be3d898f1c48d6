import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { compileFields } from '../../src/index/index.ts';

describe('fields', () => {
  it('get ids in the order of indexers and columns', () => {
    const compiled = compileFields({
      indexers: { byNode: 'spec.nodeName', byOwner: 'metadata.ownerReferences[*].uid' },
      columns: { phase: 'status.phase' },
    });

    assert.deepEqual(
      compiled.fields.map(({ id, name, isIndex, isColumn }) => [id, name, isIndex, isColumn]),
      [
        [0, 'byNode', true, false],
        [1, 'byOwner', true, false],
        [2, 'phase', false, true],
      ],
    );
    assert.deepEqual(compiled.fields[0]!.steps, [{ key: 'spec' }, { key: 'nodeName' }]);
    assert.deepEqual(compiled.indexes, [
      { name: 'byNode', fieldId: 0 },
      { name: 'byOwner', fieldId: 1 },
    ]);
    assert.deepEqual(compiled.columns, [{ name: 'phase', fieldId: 2, type: 'string' }]);
  });

  it('share an id when their paths mean the same', () => {
    const { fields, indexes, columns } = compileFields({
      indexers: { byPhase: 'status.phase', again: "$['status']['phase']" },
      columns: { phase: '.status.phase' },
    });

    assert.deepEqual(
      fields.map(({ id, name, isIndex, isColumn }) => [id, name, isIndex, isColumn]),
      [[0, 'byPhase', true, true]],
    );
    assert.deepEqual(indexes, [
      { name: 'byPhase', fieldId: 0 },
      { name: 'again', fieldId: 0 },
    ]);
    assert.deepEqual(columns, [{ name: 'phase', fieldId: 0, type: 'string' }]);
  });

  it('do not take different paths for the same that look alike', () => {
    assert.equal(
      compileFields({ indexers: { a: 'a.b', b: "['a.b']", c: "a['*']", d: 'a[*]' } }).fields.length,
      4,
    );
  });

  it('have types when they are columns', () => {
    const { columns } = compileFields({
      columns: { replicas: { path: 'spec.replicas', type: 'number' }, text: { path: 'spec.replicas' } },
    });

    assert.deepEqual(columns, [
      { name: 'replicas', fieldId: 0, type: 'number' },
      { name: 'text', fieldId: 0, type: 'string' },
    ]);
  });

  it('refuse a type that columns have not', () => {
    const columns = { replicas: { path: 'spec.replicas', type: 'integer' as 'number' } };
    assert.throws(() => compileFields({ columns }), {
      code: 'FIELD_TYPE',
      message: /columns\.replicas has the type "integer": allowed are 'string', 'number' and 'boolean'/,
    });
    assert.throws(() => compileFields({ columns: { replicas: {} as { path: string } } }), {
      code: 'FIELD_PATH_TYPE',
    });
  });

  it('may be none', () => {
    assert.deepEqual(compileFields({}), { fields: [], indexes: [], columns: [] });
  });

  it('are at most 256', () => {
    const paths = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, `spec.f${i}`]));

    assert.equal(compileFields({ indexers: paths(256) }).fields.at(-1)!.id, 255);
    assert.throws(() => compileFields({ indexers: paths(257) }), {
      name: 'FieldOptionsError',
      code: 'FIELD_LIMIT',
      message: /at most 256 different field paths/,
    });
  });

  for (const name of ['', '1a', ' a', 'a b', 'größe', '_a', 'constructor', 'toString', 'a'.repeat(129)]) {
    it(`refuse the name ${JSON.stringify(name.slice(0, 20))}`, () => {
      assert.throws(() => compileFields({ columns: { [name]: 'spec' } }), {
        name: 'FieldOptionsError',
        code: 'FIELD_NAME',
        message: /in columns is no name: allowed are/,
      });
    });
  }

  it('refuse the name __proto__', () => {
    const indexers = JSON.parse('{"__proto__": "spec.nodeName"}') as Record<string, string>;
    assert.throws(() => compileFields({ indexers }), { code: 'FIELD_NAME' });
  });

  it('say which of them has a wrong path', () => {
    assert.throws(() => compileFields({ indexers: { byNode: 'spec..nodeName' } }), {
      name: 'FieldPathError',
      code: 'FIELD_PATH_SYNTAX',
      position: 5,
      message: /^indexers\.byNode: field path "spec\.\.nodeName" is wrong at position 5/,
    });
  });

  it('work where no code may be made from strings', () => {
    const index = new URL('../../src/index/index.ts', import.meta.url);
    const program = `
      import { compileAccessor, compileFields, drop } from ${JSON.stringify(index.href)};
      const { fields } = compileFields({ indexers: { byNode: 'spec.nodeName' } });
      drop('metadata.managedFields');
      process.stdout.write(compileAccessor(fields[0].steps)({ spec: { nodeName: 'node-7' } }).join());`;
    const flags = ['--disallow-code-generation-from-strings', '--experimental-strip-types', '--no-warnings'];
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });

    assert.equal(stdout, 'node-7', stderr);
  });
});
