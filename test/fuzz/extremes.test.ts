/** Bodies at the edges of what JSON allows: very deep, very long, very many, and in odd encodings. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ListFramer, type ScanEngine, Step, WatchFramer } from '../../src/scan/index.ts';
import { type Framer, keptText, newEngine, spec } from '../scan/harness.ts';

const NESTING = 100_000;
const LONG_KEY_BYTES = 1 << 20;
/** 2 million items take some seconds; a tenth of them shows the same. `npm run test:long` has all. */
const isLong = Number(process.env.FUZZ_BODIES ?? 0) >= 1_000_000;
const MANY_ITEMS = isLong ? 2_000_000 : 200_000;

const CHUNK_BYTES = 64 * 1024;

const NAMED = { metadata: { name: 'x', namespace: 'a' } };

describe('scan of extreme bodies', () => {
  const engine = newEngine();
  const program = engine.load(spec(['metadata.labels.keys()', 'spec.a'], ['status']));

  for (const [what, nest] of [
    ['arrays', '['.repeat(NESTING) + ']'.repeat(NESTING)],
    ['objects', `${'{"a":'.repeat(NESTING)}null${'}'.repeat(NESTING)}`],
    ['both', `${'[{"a":'.repeat(NESTING / 2)}0${'}]'.repeat(NESTING / 2)}`],
  ] as const) {
    it(`${NESTING.toLocaleString('en-US')} levels of ${what} deep, in what is kept and what is cut`, () => {
      for (const member of ['spec', 'status']) {
        const item = `{"metadata":{"name":"x"},"${member}":${nest}}`;
        const expected = member === 'status' ? '{"metadata":{"name":"x"}}' : item;
        const list = texts(engine, new ListFramer(engine, program), `{"items":[${item},${item}]}`);
        const watch = texts(engine, new WatchFramer(engine, program), `{"type":"ADDED","object":${item}}\n`);

        assert.deepEqual(list, { texts: [expected, expected], problems: [] });
        assert.deepEqual(watch, { texts: [expected], problems: [] });
      }
    });

    it(`reports ${what} that are not closed, however deep they are`, () => {
      const open = nest.slice(0, nest.length / 2);
      const list = texts(
        engine,
        new ListFramer(engine, program),
        `{"items":[{"metadata":{"name":"x"},"spec":${open}`,
      );
      const watch = texts(
        engine,
        new WatchFramer(engine, program),
        `{"type":"ADDED","object":{"spec":${open}\n`,
      );

      assert.deepEqual([list.texts, list.problems.length], [[], 1]);
      assert.deepEqual([watch.texts, watch.problems.length], [[], 1]);
    });
  }

  it('keys and strings of 1 MiB, as keys of fields too', () => {
    const long = 'k'.repeat(LONG_KEY_BYTES);
    const item = { metadata: { name: 'x', labels: { [long]: long } }, spec: { [long]: 1, a: long } };
    const { texts: found, problems } = texts(
      engine,
      new ListFramer(engine, program),
      JSON.stringify({ items: [item] }),
    );

    assert.deepEqual(problems, []);
    assert.deepEqual(JSON.parse(found[0]!), item);
  });

  it(`${MANY_ITEMS.toLocaleString('en-US')} items in one page, within the memory of a few`, () => {
    const item = JSON.stringify(NAMED);
    const engine = newEngine();
    const framer = new ListFramer(engine, engine.load(spec([])));
    const many = Buffer.from(`${item},`.repeat(1000));
    const before = engine.memoryBytes;
    let items = 0;
    const push = (chunk: Buffer) => {
      framer.push(chunk);
      for (let step = framer.next(); step !== Step.more; step = framer.next()) {
        if (step === Step.done) return;
        assert.equal(step, Step.item);
        items++;
      }
    };
    push(Buffer.from('{"items":['));
    for (let sent = 0; sent < MANY_ITEMS; sent += 1000) push(many);
    push(Buffer.from(`${item}],"kind":"XList"}`));
    framer.end();

    assert.equal(framer.next(), Step.done);
    assert.equal(items, MANY_ITEMS + 1);
    assert.equal(engine.memoryBytes, before);
  });

  it('the last of duplicate keys counts, also for identity', () => {
    const item =
      '{"metadata":{"name":"no"},"spec":{"a":1},"metadata":{"name":"no","name":"yes"},"spec":{"a":2}}';
    const { texts: found } = texts(engine, new ListFramer(engine, program), `{"items":[${item}]}`);

    assert.deepEqual(JSON.parse(found[0]!), { metadata: { name: 'yes' }, spec: { a: 2 } });
  });

  for (const [what, before, inside] of [
    ['a BOM in front', '\ufeff', ''],
    ['NUL in front', '\0', ''],
    ['NUL between values', '', '\0'],
    ['a BOM between values', '', '\ufeff'],
    ['a no-break space', '', '\u00a0'],
  ] as const) {
    it(`reports ${what}, as JSON.parse does`, () => {
      const list = `${before}{"items":[${inside}${JSON.stringify(NAMED)}]}`;
      const watch = `${before}{"type":"ADDED",${inside}"object":${JSON.stringify(NAMED)}}\n`;
      assert.throws(() => JSON.parse(list), SyntaxError);
      const problems = [
        texts(engine, new ListFramer(engine, program), list).problems,
        texts(engine, new WatchFramer(engine, program), watch).problems,
      ];

      assert.deepEqual(
        problems.map(({ length }) => length),
        [1, 1],
      );
    });
  }

  it('takes lone surrogates in escapes as they are, and refuses them as bytes', () => {
    const escaped = '{"items":[{"metadata":{"name":"x"},"spec":{"a":"\\ud800","b":"\\udfff\\ud800"}}]}';
    const { texts: found, problems } = texts(engine, new ListFramer(engine, program), escaped);
    assert.deepEqual(problems, []);
    assert.deepEqual(JSON.parse(found[0]!), (JSON.parse(escaped) as { items: unknown[] }).items[0]);

    const bytes = Buffer.from('{"items":[{"metadata":{"name":"x"},"spec":{"a":"???"}}]}');
    bytes.set([0xed, 0xa0, 0x80], bytes.indexOf('???'));
    assert.deepEqual(texts(engine, new ListFramer(engine, program), bytes).problems, ['invalid-utf8']);
  });

  it('reports a key of the list that is not UTF-8: it may have been `items`', () => {
    const bytes = Buffer.from('{"kind":"XList","?items":[{}]}');
    bytes[bytes.indexOf('?')] = 0xff;

    assert.deepEqual(texts(engine, new ListFramer(engine, program), bytes).problems, ['invalid-utf8']);
  });

  it('reports an event that is broken beside its object', () => {
    for (const extra of ['"more":{"a" "b"}', '"a":[1 2]', '"":tru']) {
      for (const line of [
        `{"type":"ADDED","object":{"a":1},${extra}}`,
        `{${extra},"type":"ADDED","object":{"a":1}}`,
      ]) {
        assert.deepEqual(texts(engine, new WatchFramer(engine, program), `${line}\n`), {
          texts: [],
          problems: ['malformed'],
        });
      }
    }
  });
});

/** What a framer finds, whole and in chunks, which is the same. */
function texts(engine: ScanEngine, framer: Framer, body: string | Buffer) {
  const bytes = Buffer.from(body);
  const found: { texts: string[]; problems: string[] } = { texts: [], problems: [] };
  const drain = () => {
    for (;;) {
      const step = framer.next();
      if (step === Step.item || step === Step.event) found.texts.push(keptText(engine));
      else if (step === Step.bad || step === Step.failed) found.problems.push(framer.problem!.reason);
      if (step === Step.more) return true;
      if (step === Step.done || step === Step.failed) return false;
    }
  };
  let goesOn = true;
  for (let at = 0; goesOn && at < bytes.length; at += CHUNK_BYTES) {
    framer.push(bytes.subarray(at, at + CHUNK_BYTES));
    goesOn = drain();
  }
  if (goesOn) {
    framer.end();
    drain();
  }
  framer.close();
  return found;
}
