import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCAN_NAME } from '../../src/layout/scan.ts';
import { identityText, ListFramer, Step } from '../../src/scan/index.ts';
import { chunksOf, newEngine, runList, spec } from './harness.ts';

describe('list framer', () => {
  const engine = newEngine();
  const program = engine.load(spec(['a']));
  const run = (body: string | Buffer, options = {}) => {
    const bytes = Buffer.from(body as string);
    const whole = runList(engine, program, [bytes], options);
    // Whatever is wrong must not depend on where chunks end.
    assert.deepEqual(runList(engine, program, chunksOf(bytes, 1), options), whole);
    return whole;
  };

  for (const [body, envelope] of [
    ['{}', {}],
    ['{"items":[]}', {}],
    ['{"items":[ ]}', {}],
    [' \n{ "items" : null , "kind" : "PodList" } \r\n', { kind: 'PodList' }],
    [
      '{"kind":"PodList","metadata":{"resourceVersion":"1"}}',
      { kind: 'PodList', metadata: { resourceVersion: '1' } },
    ],
    ['{"a":1,"a":2,"\\u0062":-0.5e1}', { a: 2, b: -5 }],
    ['{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
  ] as const) {
    it(`sees the envelope and no items in ${JSON.stringify(body)}`, () => {
      const { trace, envelope: seen, isDone } = run(body);

      assert.deepEqual(trace, []);
      assert.deepEqual(seen, envelope);
      assert.ok(isDone);
    });
  }

  it('takes metadata from behind the items, and only the items of the root', () => {
    const { trace, envelope } = run(
      '{"metadata":{"items":[{"metadata":{"name":"decoy"}}]},"it\\u0065ms":[{"metadata":{"name":"a"}} , {"metadata":{"name":"b"}}],"kind":"L"}',
    );

    assert.deepEqual(trace, ['a', 'b']);
    assert.deepEqual(envelope, { metadata: { items: [{ metadata: { name: 'decoy' } }] }, kind: 'L' });
  });

  it('knows before the first item what the list said until then', () => {
    const framer = new ListFramer(engine, program);
    framer.push(
      Buffer.from('{"kind":"PodList","metadata":{},"apiVersion":"v1","items":[{"metadata":{"name":"a"}}'),
    );

    assert.equal(framer.next(), Step.item);
    assert.deepEqual(framer.head, { kind: 'PodList', apiVersion: 'v1' });
    assert.equal(framer.envelope, undefined);
    framer.close();
  });

  it('is done when the end is told, not before', () => {
    const framer = new ListFramer(engine, program);
    framer.push(Buffer.from('{"items":[]}'));
    assert.equal(framer.next(), Step.more);
    framer.end();

    assert.equal(framer.next(), Step.done);
    assert.equal(framer.next(), Step.done);
    assert.throws(() => framer.push(Buffer.from(' ')), /behind the end/);
  });

  const failures: [string, string, string[]][] = [
    ['an HTML page', '<html></html>', ['not-json@0']],
    ['an array', '  [1]', ['not-json@2']],
    ['an empty body', '', ['truncated@0']],
    ['a body that ends in the envelope', '{"kind":"Pod', ['truncated@12']],
    ['a body that ends behind a value', '{"kind":"Pod"', ['truncated@13']],
    [
      'a body that ends in an item',
      '{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},',
      ['a', 'truncated@61'],
    ],
    ['a body that ends between items', '{"items":[{"metadata":{"name":"a"}},', ['a', 'truncated@36']],
    ['a body that ends before the root does', '{"items":[]', ['truncated@11']],
    ['items twice', '{"items":[{"metadata":{"name":"a"}}],"items":[]}', ['a', 'malformed@45']],
    ['null items and items', '{"items":null,"items":[]}', ['malformed@22']],
    ['items that are an object', '{"items":{}}', ['malformed@9']],
    ['items that are nearly null', '{"items":nule}', ['malformed@12']],
    ['a key without quotes', '{kind:1}', ['malformed@1']],
    ['a value that is no JSON', '{"kind":tru}', ['malformed@11']],
    ['a broken value deep in the envelope', '{"metadata":{"a":[tru]}}', ['malformed@12']],
    ['a missing colon', '{"kind" 1}', ['malformed@8']],
    ['a missing comma', '{"a":1 "b":2}', ['malformed@7']],
    ['a comma too many', '{"a":1,}', ['malformed@7']],
    ['a number with a leading zero', '{"a":01}', ['malformed@6']],
    ['text behind the list', '{"items":[]} x', ['malformed@13']],
    ['text behind an item', '{"items":[{}x]}', ['?', 'malformed@12']],
    ['a bracket too many', '{"items":[{"a":1}}]}', ['?', 'malformed@17']],
    ['an item whose brackets do not match', '{"items":[{"a":[1},{"a":2}]}', ['malformed@17']],
    [
      'a skipped value that a bracket of the wrong kind closes',
      '{"items":[{"b":{"c":1]}]}',
      ['malformed@21'],
    ],
    ['a brace that is not closed in a skipped value', '{"items":[{"b":[{"c":1]]}]}', ['malformed@23']],
    ['an envelope that is not UTF-8', '{"a":"\u00ff"}', ['invalid-utf8@5']],
    ['a raw newline in a string of the envelope', '{"a":"x\ny"}', ['malformed@7']],
  ];
  for (const [what, body, trace] of failures) {
    it(`fails on ${what}`, () => {
      const seen = run(Buffer.from(body, 'latin1'));

      assert.deepEqual(seen.trace, trace);
      assert.equal(seen.isDone, false);
      assert.equal(seen.envelope, undefined);
    });
  }

  const badItems: [string, string, string][] = [
    ['null', 'null', 'not-an-object@36'],
    ['a number', '-1', 'not-an-object@36'],
    ['a string', '"{"', 'not-an-object@36'],
    ['an array', '[{"metadata":{}}]', 'not-an-object@36'],
    ['a comma too many', '{"a":1,}', 'malformed@43'],
    ['a missing colon', '{"a" 1}', 'malformed@41'],
    ['a missing comma', '{"a":{} "b":1}', 'malformed@44'],
    ['a key that is no string', '{a:1}', 'malformed@37'],
    ['a word that is no JSON', '{"a":nil}', 'malformed@42'],
    ['a number that is none', '{"a":1.}', 'malformed@43'],
    ['a raw newline in a string', '{"a":"x\ny"}', 'malformed@43'],
    ['an escape that is none', '{"a":"x\\y"}', 'malformed@43'],
    ['brackets that cross', '{"b":{"c":[1},"d":2]}', 'malformed@55'],
    ['an escape in a key that is none', '{"x\\u12g4":1}', 'malformed@39'],
  ];
  for (const [what, item, problem] of badItems) {
    it(`reports an item that is or has ${what}, and goes on behind it`, () => {
      const { trace, isDone } = run(
        `{"items":[{"metadata":{"name":"a"}},${item},{"metadata":{"name":"b"}}]}`,
      );

      assert.deepEqual(trace, ['a', problem, 'b']);
      assert.ok(isDone);
    });
  }

  it('names the object of a problem when it came to its name', () => {
    const [problem] = run('{"items":[{"metadata":{"namespace":"ns","name":"\\u006e"},"a":x}]}').problems;

    assert.equal(problem!.keyHint, 'ns/n');
    assert.equal(problem!.message, 'an item is not JSON (ns/n), at byte 61 of the body');
  });

  it('reports an item that is not UTF-8, and still gives its identity', () => {
    const framer = new ListFramer(engine, program);
    framer.push(
      Buffer.from(
        '{"items":[{"metadata":{"name":"a","uid":"u"},"x":"\xff"},{"metadata":{"name":"\xff"}},{"metadata":{"name":"é"}}]}',
        'latin1',
      ),
    );

    assert.equal(framer.next(), Step.bad);
    assert.equal(framer.problem!.reason, 'invalid-utf8');
    assert.equal(framer.problem!.keyHint, 'a');
    assert.equal(framer.hasIdentity, true);
    assert.equal(identityText(engine, SCAN_NAME), 'a');
    assert.equal(framer.next(), Step.bad);
    assert.equal(framer.hasIdentity, false);
    framer.close();
  });

  it('skips an item above the limit without keeping it, and says which', () => {
    const huge = `{"metadata":{"name":"huge"},"x":"${'x'.repeat(300)}"}`;
    const { trace, problems, isDone } = run(`{"items":[${huge},{"metadata":{"name":"b"}},${huge}]}`, {
      maxObjectBytes: 100,
    });

    assert.deepEqual(trace, ['too-large@10', 'b', 'too-large@372']);
    assert.equal(problems[0]!.keyHint, 'huge');
    assert.ok(isDone);
  });

  it('does not grow for an item above the limit', () => {
    const own = newEngine();
    const framer = new ListFramer(own, own.load(spec([])), { maxObjectBytes: 1 << 16 });
    const before = own.memoryBytes;
    framer.push(Buffer.from('{"items":[{"x":"'));
    for (let chunk = 0; chunk < 200; chunk++) {
      framer.push(Buffer.alloc(1 << 15, 0x78));
      framer.next();
    }
    framer.push(Buffer.from('"},{"metadata":{"name":"b"}}]}'));

    assert.equal(framer.next(), Step.item);
    assert.equal(own.memoryBytes, before);
  });

  it('scans an item larger than the window was', () => {
    const own = newEngine();
    const item = JSON.stringify({ metadata: { name: 'large' }, data: 'ä{"'.repeat(1 << 20) });
    const { trace, isDone } = runList(
      own,
      own.load(spec([])),
      chunksOf(Buffer.from(`{"items":[${item},{}]}`), 1 << 16),
    );

    assert.deepEqual(trace, ['large', '?']);
    assert.ok(isDone);
  });

  it('limits what is beside the items', () => {
    assert.deepEqual(run(`{"metadata":{"a":"${'x'.repeat(200)}"}}`, { maxEnvelopeBytes: 100 }).trace, [
      'too-large@12',
    ]);
    assert.deepEqual(run(`{${'"a":[1,2,3],'.repeat(50)}"b":1}`, { maxEnvelopeBytes: 100 }).trace, [
      'too-large@149',
    ]);
    assert.deepEqual(run(`{"${'k'.repeat(200)}":1}`, { maxEnvelopeBytes: 100 }).trace, ['too-large@1']);
  });

  for (const maxObjectBytes of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
    it(`refuses a limit of ${maxObjectBytes}`, () => {
      assert.throws(
        () => new ListFramer(engine, program, { maxObjectBytes }),
        /maxObjectBytes is an integer from 1/,
      );
    });
  }
});
