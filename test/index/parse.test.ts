import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldPath, type PathStep, parseFieldPath } from '../../src/index/index.ts';

const EACH = { each: true } as const;
const KEYS = { keys: true } as const;

describe('field path', () => {
  for (const [text, ...steps] of [
    ['spec.nodeName', 'spec', 'nodeName'],
    ['.spec.nodeName', 'spec', 'nodeName'],
    ['$.spec.nodeName', 'spec', 'nodeName'],
    ["$['spec'].nodeName", 'spec', 'nodeName'],
    ['[\'spec\']["nodeName"]', 'spec', 'nodeName'],
    ['kind', 'kind'],
    ['metadata.ownerReferences[*].uid', 'metadata', 'ownerReferences', EACH, 'uid'],
    ["metadata.labels['app.kubernetes.io/name']", 'metadata', 'labels', 'app.kubernetes.io/name'],
    ['metadata.labels["a\'b"]', 'metadata', 'labels', "a'b"],
    [
      "a['it\\'s']['\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00']",
      'a',
      "it's",
      '"\\/\b\f\n\r\tä\u{1f600}',
    ],
    ['status.podIPs[0].ip', 'status', 'podIPs', { at: 0 }, 'ip'],
    ['a[*][*][12]', 'a', EACH, EACH, { at: 12 }],
    ['keys(metadata.labels)', 'metadata', 'labels', KEYS],
    ['keys($.spec.volumes[*])', 'spec', 'volumes', EACH, KEYS],
    ['keys', 'keys'],
    ['keys.value', 'keys', 'value'],
    [
      "status.conditions[?(@.type=='Ready')].status",
      'status',
      'conditions',
      { where: 'type', is: 'Ready' },
      'status',
    ],
    ["a[?(@['x y'] == -1.5e3 )][0]", 'a', { where: 'x y', is: -1500 }, { at: 0 }],
    ['a[?(@.controller==true)]', 'a', { where: 'controller', is: true }],
    ['a[?(@.it=="it\'s")].b', 'a', { where: 'it', is: "it's" }, 'b'],
    ['x-kubernetes-x._under.a1', 'x-kubernetes-x', '_under', 'a1'],
    ["['__proto__'].constructor", '__proto__', 'constructor'],
    ["['']", ''],
  ] as [string, ...(string | PathStep)[]][]) {
    it(`takes ${text}`, () => {
      const expected = steps.map((step) => (typeof step === 'string' ? { key: step } : step));

      const parsed = parseFieldPath(text);
      assert.deepEqual(parsed, expected);
      assert.deepEqual(parseFieldPath(formatFieldPath(parsed)), expected, 'the written form means the same');
    });
  }

  for (const [text, position, allowed] of [
    ['', 0, 'a name of letters'],
    ['$', 1, "'.' or '[' and a name"],
    ['spec.', 5, 'a name of letters'],
    ['spec..nodeName', 5, 'a name of letters'],
    ['spec nodeName', 4, "'.' or '['"],
    [' spec', 0, 'a name of letters'],
    ['metadata.labels.app\\.kubernetes\\.io/name', 19, "'.' or '['"],
    ['größe', 2, "'.' or '['"],
    ['a.1b', 2, 'a name of letters'],
    ['a[', 2, "'*', an array index, a key in quotes or a filter"],
    ['a[]', 2, "'*', an array index, a key in quotes or a filter"],
    ['a[b]', 2, "'*', an array index, a key in quotes or a filter"],
    ['a[-1]', 2, "'*', an array index, a key in quotes or a filter"],
    ['a[01]', 3, "']'"],
    ['a[1:2]', 3, "']'"],
    ['a[?(@.b)]', 7, "'==' and a value"],
    ['a[?(@.b==c)]', 9, 'true, false, a number or a text in quotes'],
    ['a[?(@.b==true]', 13, "')'"],
    ['a[?(@b==1)]', 5, "'.' or '[' and a key"],
    ['a[?(@[0]==1)]', 5, "'.' or '[' and a key"],
    ['a[?(@.1==1)]', 6, 'a name of letters'],
    ['a[?@.b==1]', 2, 'a filter ?(@.key==value)'],
    ['a[?(@.b==1)][*]', 13, 'an array index or a key in quotes (behind a filter)'],
    ['a[?(@.b==1)][?(@.c==1)]', 13, 'an array index or a key in quotes (behind a filter)'],
    ['keys(a[?(@.b==1)])', 17, 'no keys(…) of a path with a filter'],
    ['a[*', 3, "']'"],
    ["a['b]", 5, "the ' that ends the key from position 2 on"],
    ["a['b\\", 5, 'one of \\'],
    ["a['b\\x']", 5, 'one of \\'],
    ["a['\\u12g4']", 5, 'four hexadecimal digits'],
    ["a['\\ud83d']", 2, 'a key without half a surrogate pair'],
    ['keys(a', 6, "the ')' of keys"],
    ['keys()', 5, 'a name of letters'],
    ['keys(a).b', 7, 'nothing behind keys'],
    ['keys(keys(a))', 9, "the ')' of keys"],
    ['{.spec}', 0, 'a name of letters'],
  ] as [string, number, string][]) {
    it(`refuses ${JSON.stringify(text)} at position ${position} and says what is allowed`, () => {
      assert.throws(
        () => parseFieldPath(text),
        (error: Error & { code: string; position: number; path: string }) => {
          assert.equal(error.name, 'FieldPathError');
          assert.equal(error.code, 'FIELD_PATH_SYNTAX');
          assert.equal(error.position, position);
          assert.equal(error.path, text);
          assert.ok(error.message.includes(`at position ${position}: found `), error.message);
          assert.ok(
            error.message.includes(`allowed is ${allowed}`) || error.message.includes(allowed),
            error.message,
          );
          return true;
        },
      );
    });
  }

  for (const [what, text] of [
    ['long', `a${'.b'.repeat(600)}`],
    ['deep', `a${'.b'.repeat(64)}`],
    ['long-keyed', `a['${'ä'.repeat(501)}']`],
    ['far-reaching', 'a[1234567]'],
  ] as const) {
    it(`refuses a path that is too ${what}`, () => {
      assert.throws(() => parseFieldPath(text), {
        name: 'FieldPathError',
        code: 'FIELD_PATH_LIMIT',
        message: /at most/,
      });
    });
  }

  for (const value of [undefined, null, 7, ['a'], () => 'a']) {
    it(`refuses ${Array.isArray(value) ? 'an array' : typeof value} instead of a string`, () => {
      assert.throws(() => parseFieldPath(value as never), {
        code: 'FIELD_PATH_TYPE',
        message: /a field path is a string, not (undefined|null|number|an array|function)/,
      });
    });
  }
});
