import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FramerOptions, Step, WatchFramer } from '../../src/scan/index.ts';
import { chunksOf, newEngine, runWatch, spec } from './harness.ts';
import { Random } from './random.ts';

function event(name: string, more = ''): string {
  return `{"type":"ADDED","object":{"metadata":{"name":"${name}"}${more}}}`;
}

function pretty(name: string): string {
  const value = { type: 'ADDED', object: { metadata: { name }, list: [1, { a: [] }, 'x'], empty: {} } };
  return JSON.stringify(value, undefined, 2);
}

describe('watch framer', () => {
  const engine = newEngine();
  const program = engine.load(spec(['a']));
  const run = (body: string | Buffer, options: FramerOptions = {}) => {
    const bytes = Buffer.from(body as string);
    const whole = runWatch(engine, program, [bytes], options);
    // What is found must not depend on where chunks end.
    assert.deepEqual(runWatch(engine, program, chunksOf(bytes, 1), options), whole);
    return whole;
  };
  const trace = (body: string | Buffer, options?: FramerOptions) => run(body, options).trace;

  const streams: [string, string, string[]][] = [
    ['no events in an empty stream', '', []],
    ['no events in blank lines', '\n \r\n\t\n', []],
    ['one event per line', `${event('a')}\n${event('b')}\n`, ['a', 'b']],
    [
      'events between blank lines and line ends of all kinds',
      `\n\n${event('a')}\r\n\n  ${event('b')} \n`,
      ['a', 'b'],
    ],
    [
      'two events on one line',
      `${event('a')}${event('b')} ${event('c')}\n${event('d')}\n`,
      ['a', 'b', 'c', 'd'],
    ],
    ['an event that the stream ends behind', `${event('a')}\n${event('b')}`, ['a', 'b']],
    ['pretty-printed events', `${pretty('a')}\n${pretty('b')}\n`, ['a', 'b']],
    [
      'pretty-printed events among others',
      `${event('a')}\n${pretty('b')}\n${event('c')}\n${pretty('d')}`,
      ['a', 'b', 'c', 'd'],
    ],
    ['commas at the start of lines', '{"type":"ADDED"\n,"object":{"metadata":{"name":"a"\n}\n}\n}\n', ['a']],
    [
      'blank lines within an event',
      '{\n\n"type":\n\n \n"ADDED",\n"object":{"metadata":{"name":"a"}}\n\n}\n',
      ['a'],
    ],
    [
      'the last of two types and objects',
      '{"type":1,"object":{"metadata":{"name":"a"}},"type":"X","object":{}}\n',
      ['X'],
    ],
  ];
  for (const [what, body, names] of streams) {
    it(`finds ${what}`, () => {
      const { trace, isDone } = run(body);

      assert.deepEqual(trace, names);
      assert.ok(isDone);
    });
  }

  const [a, b, c] = [event('a'), event('b'), event('c')];
  const broken: [string, string, string[]][] = [
    ['a line cut off in a string', `${a}\n${b.slice(0, 48)}\n${c}\n`, ['a', 'malformed@101', 'c']],
    ['a line cut off behind a comma', `{"type":"ADDED",\n${b}\n${c}\n`, ['malformed@69', 'b', 'c']],
    ['a line cut off behind a colon', `{"type":"ADDED","object":\n${b}\n${c}\n`, ['malformed@78', 'b', 'c']],
    ['a line cut off before its last bracket', `${a.slice(0, -1)}\n${b}\n${c}\n`, ['malformed@51', 'b', 'c']],
    ['a line cut off in an array', `${event('a', ',"x":[1').slice(0, -2)}\n${b}\n`, ['malformed@57', 'b']],
    ['two broken lines at once', `{"type":"A\n{"type":"B\n${c}\n`, ['malformed@10', 'c']],
    ['broken lines apart', `nonsense\n${a}\nmore\n${b}\n`, ['malformed@0', 'a', 'malformed@61', 'b']],
    ['an HTML page', '<html>\n<body>\n</body>\n</html>\n', ['malformed@0']],
    ['text behind an event', `${a} x\n${b}\n`, ['a', 'malformed@52', 'b']],
    ['a bracket too many', `${a}}\n${b}\n`, ['a', 'malformed@51', 'b']],
    ['a bracket of the wrong kind', `{"type":"ADDED","object":{"x":[}}\n${b}\n`, ['malformed@31', 'b']],
    ['a Status instead of an event', `{"kind":"Status","code":410}\n${b}\n`, ['not-an-event@0', 'b']],
    ['an event without a type', `{"object":{"metadata":{"name":"x"}}}\n${b}\n`, ['not-an-event@0', 'b']],
    ['an event whose object is none', `{"type":"ADDED","object":null}\n${b}\n`, ['not-an-event@0', 'b']],
    [
      'an event whose last object is none',
      `{"type":"A","object":{"metadata":{"name":"x"}},"object":1}\n${b}\n`,
      ['not-an-event@0', 'b'],
    ],
    ['an array', `[${a}]\n${b}\n`, ['malformed@0', 'b']],
    ['a comma too many', `{"type":"ADDED","object":{},}\n${b}\n`, ['malformed@28', 'b']],
    [
      'a pretty-printed event with a broken line in it',
      `${pretty('x').replace('"list"', 'list')}\n${b}\n`,
      ['malformed@82', 'b'],
    ],
    ['a pretty-printed event that ends early', `${pretty('x').slice(0, 90)}\n${b}\n`, ['truncated@0', 'b']],
  ];
  for (const [what, body, expected] of broken) {
    it(`reports ${what} once, and loses no good event`, () => {
      const { trace, isDone } = run(body);

      assert.deepEqual(trace, expected);
      assert.ok(isDone);
    });
  }

  it('says that the stream was cut inside an event', () => {
    for (let length = 1; length < b.length; length++) {
      assert.deepEqual(trace(`${a}\n${b.slice(0, length)}`), ['a', 'truncated@52']);
    }
    assert.deepEqual(trace(`${a}\n${pretty('b').slice(0, 60)}`), ['a', 'truncated@52']);
    assert.deepEqual(trace(`${a}\n{"type":"ADDED","object":{\n`), ['a', 'truncated@52']);
  });

  it('finds good events behind one that the stream ended in', () => {
    assert.deepEqual(trace(`{"type":"ADDED","object":\n${b}\n`), ['truncated@0', 'b']);
    assert.deepEqual(trace(`{"type":"ADDED","object":{"x":[\n${b}`), ['truncated@0', 'b']);
  });

  it('names the object of a problem when it came to its name', () => {
    const [problem] = run(`{"type":"ADDED","object":{"metadata":{"namespace":"ns","name":"n"},}}\n`).problems;

    assert.equal(problem!.keyHint, 'ns/n');
    assert.match(problem!.message, /an event is not JSON \(ns\/n\), at byte \d+ of the body/);
  });

  it('reports an event that is not UTF-8, and still gives its identity', () => {
    const framer = new WatchFramer(engine, program);
    framer.push(Buffer.from(`${event('a', ',"x":"\xff"')}\n${event('\xff')}\n`, 'latin1'));

    assert.equal(framer.next(), Step.bad);
    assert.equal(framer.problem!.reason, 'invalid-utf8');
    assert.equal(framer.hasIdentity, true);
    assert.equal(framer.next(), Step.bad);
    assert.equal(framer.hasIdentity, false);
    assert.equal(framer.next(), Step.more);
    framer.close();
  });

  const x200 = 'x'.repeat(200);
  const large: [string, string, string[]][] = [
    ['on one line', `${event('huge', `,"x":"${x200}"`)}\n${b}\n`, ['too-large@0', 'b']],
    ['on several lines', `${event('huge', `,"x":\n"${x200}"`)}\n${b}\n`, ['too-large@0', 'b']],
    [
      'on many short lines',
      `${event('huge', `,"x":[${'1,\n'.repeat(100)}2]`)}\n${b}\n`,
      ['too-large@0', 'b'],
    ],
    ['that is cut off', `${event('huge', `,"x":"${x200}`).slice(0, -2)}\n${b}\n`, ['too-large@0', 'b']],
    [
      'that the stream ends in',
      `${b}\n${event('huge', `,"x":"${x200}`).slice(0, -2)}`,
      ['b', 'too-large@52'],
    ],
    ['that is no JSON', `${x200}\n${b}\n`, ['malformed@0', 'b']],
    [
      'twice',
      `${event('huge', `,"x":"${x200}"`)}\n${event('huge', `,"x":"${x200}"`)}\n${b}\n`,
      ['too-large@0', 'too-large@262', 'b'],
    ],
  ];
  for (const [what, body, expected] of large) {
    it(`skips an event above the limit ${what}`, () => {
      assert.deepEqual(trace(body, { maxObjectBytes: 100 }), expected);
    });
  }

  it('takes small events from a line above the limit', () => {
    assert.deepEqual(trace(`${a}${b}${c}\n`, { maxObjectBytes: 60 }), ['a', 'b', 'c']);
  });

  it('does not grow for an event above the limit', () => {
    const own = newEngine();
    const framer = new WatchFramer(own, own.load(spec([])), { maxObjectBytes: 1 << 16 });
    const before = own.memoryBytes;
    framer.push(Buffer.from('{"type":"ADDED","object":{"x":"'));
    for (let chunk = 0; chunk < 200; chunk++) {
      framer.push(Buffer.alloc(1 << 15, 0x78));
      framer.next();
    }
    framer.push(Buffer.from(`"}}\n${b}\n`));

    assert.equal(framer.next(), Step.event);
    assert.equal(own.memoryBytes, before);
  });

  it('scans an event larger than the window was, printed on many lines', () => {
    const own = newEngine();
    const value = {
      type: 'ADDED',
      object: { metadata: { name: 'large' }, data: Array.from({ length: 60_000 }, (_, n) => ({ n })) },
    };
    const body = Buffer.from(`${JSON.stringify(value, undefined, 1)}\n${b}\n`);
    const { trace, isDone } = runWatch(own, own.load(spec([])), chunksOf(body, 10_000));

    assert.deepEqual(trace, ['large', 'b']);
    assert.ok(isDone);
  });

  it('gives up on endless nonsense instead of reading it again and again', () => {
    const lines = 20_000;
    const { trace } = runWatch(engine, program, [Buffer.from(`${'{"a":\n'.repeat(lines)}`)]);

    assert.deepEqual(trace, ['truncated@0']);
  });

  it('finds all good events among random nonsense', () => {
    const random = new Random(7);
    const lines = Array.from({ length: 400 }, (_, n) => {
      if (random.chance(50)) return event(`good-${n}`);
      return random.pick([
        '',
        '{',
        '}',
        '{"',
        '"',
        '[',
        '{"a":[',
        ',',
        '{"type":',
        'x',
        '{"type":"ADDED","object":{"a":"\\',
        '{}',
        '\\',
      ]);
    });
    const { trace } = runWatch(engine, program, chunksOf(Buffer.from(`${lines.join('\n')}\n`), 100));

    assert.deepEqual(
      trace.filter((name) => name.startsWith('good')),
      lines.filter((line) => line.includes('good')).map((line) => /good-\d+/.exec(line)![0]),
    );
  });
});
