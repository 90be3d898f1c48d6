import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_IDENTITY_BYTES } from '../../src/layout/block.ts';
import {
  blockField,
  blockFields,
  blockKey,
  blockName,
  blockNamespace,
  blockResourceVersion,
  blockStamp,
  blockUid,
  bodyEnd,
  bodyStart,
  sameIdentity,
  sameKey,
} from '../../src/store/block.ts';
import { type BlockContent, encodeBlock } from '../../src/store/block-encode.ts';
import { TestArena } from './indexer-support.ts';

describe('block', () => {
  for (const [what, namespace, name, value] of [
    ['ASCII', 'team-a', 'web-0', 'node-7'],
    ['no namespace', '', 'node-7', ''],
    ['two-byte characters', 'käse', 'brötchen', 'größe'],
    ['ASCII identity and another field value', 'a', 'b', '\u{1f600}'],
  ] as const) {
    it(`gives back what was put in (${what})`, () => {
      const { segment, block } = placed({
        namespace,
        name,
        uid: 'uid-1',
        resourceVersion: '4711',
        fields: [
          { id: 2, value },
          { id: 255, value: 'x' },
          { id: 2, value: 'again' },
        ],
        body: Buffer.from('{"kind":"Pod"}'),
      });

      assert.equal(blockNamespace(segment, block), namespace);
      assert.equal(blockName(segment, block), name);
      assert.equal(blockKey(segment, block), namespace === '' ? name : `${namespace}/${name}`);
      assert.equal(blockUid(segment, block), 'uid-1');
      assert.equal(blockResourceVersion(segment, block), '4711');
      assert.equal(blockField(segment, block, 2), value);
      assert.deepEqual(blockFields(segment, block, 2), [value, 'again']);
      assert.equal(blockField(segment, block, 255), 'x');
      const body = segment.bytes.toString('utf8', bodyStart(segment, block), bodyEnd(segment, block));
      assert.equal(body, '{"kind":"Pod"}');
    });
  }

  it('has no value for a field that the object does not have', () => {
    const { segment, block } = placed({ name: 'a', fields: [{ id: 1, value: 'x' }] });

    assert.equal(blockField(segment, block, 0), undefined);
    assert.deepEqual(blockFields(segment, block, 0), []);
  });

  it('may have no body', () => {
    const { segment, block } = placed({ name: 'a' });

    assert.equal(bodyStart(segment, block), bodyEnd(segment, block));
  });

  it('has the stamp that it was written with', () => {
    const arena = new TestArena();
    const { offset8, stamp } = arena.put({ name: 'a' });

    assert.equal(blockStamp(arena.segment, offset8 * 8), stamp);
  });

  const object = { namespace: 'ns', name: 'web-0', uid: 'uid-1', resourceVersion: '41' };
  for (const [what, other, isSameKey, isSameIdentity] of [
    ['only the body', { ...object, body: Buffer.from('{}') }, true, true],
    ['the resourceVersion', { ...object, resourceVersion: '42' }, true, false],
    ['the length of the resourceVersion', { ...object, resourceVersion: '410' }, true, false],
    ['the uid', { ...object, uid: 'uid-2' }, true, false],
    ['the first letter of the name', { ...object, name: 'xeb-0' }, false, true],
    ['the last letter of the name', { ...object, name: 'web-1' }, false, true],
    ['the length of the name', { ...object, name: 'web-01' }, false, true],
    ['the namespace', { ...object, namespace: 'nt' }, false, true],
    ['where the namespace ends', { ...object, namespace: 'ns/', name: 'eb-0' }, false, true],
  ] as [string, BlockContent, boolean, boolean][]) {
    it(`compares blocks that differ in ${what}`, () => {
      const arena = new TestArena();
      const a = arena.put(object).offset8 * 8;
      const b = arena.put(other).offset8 * 8;

      assert.equal(sameKey(arena.segment, a, arena.segment, b), isSameKey);
      assert.equal(sameIdentity(arena.segment, a, arena.segment, b), isSameIdentity);
    });
  }

  it('does not take uid and resourceVersion for the same when only their joint bytes are', () => {
    const arena = new TestArena();
    const a = arena.put({ name: 'a', uid: 'u1', resourceVersion: '23' }).offset8 * 8;
    const b = arena.put({ name: 'a', uid: 'u12', resourceVersion: '3' }).offset8 * 8;

    assert.equal(sameIdentity(arena.segment, a, arena.segment, b), false);
  });

  for (const [content, message] of [
    [{ name: 'n'.repeat(MAX_IDENTITY_BYTES + 1) }, /length of the name in bytes is 65536.*at most 65535/],
    [{ name: 'a', uid: 'ä'.repeat(40_000) }, /length of the uid in bytes is 80000/],
    [{ name: 'a', fields: [{ id: 256, value: '' }] }, /a field id is 256, and at most 255/],
  ] as [BlockContent, RegExp][]) {
    it(`refuses what does not fit: ${message.source.slice(0, 30)}`, () => {
      assert.throws(() => encodeBlock(content), { name: 'BlockEncodeError', code: 'BLOCK_ENCODE', message });
    });
  }
});

function placed(content: BlockContent) {
  const arena = new TestArena();
  arena.put({ name: 'something-before' });
  return { segment: arena.segment, block: arena.put(content).offset8 * 8 };
}
