import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScanSpec } from '../../src/scan/index.ts';
import { Generator } from './generator.ts';
import { chunksOf, expectSeen, newEngine, type Run, runList, runWatch, spec, splitAt } from './harness.ts';
import { Random, runSeed } from './random.ts';

const DOCUMENTS = 400;

const WANTED = spec(
  [
    'spec.nodeName',
    "metadata.labels['app.kubernetes.io/name']",
    'metadata.labels.keys()',
    'metadata.labels',
    'metadata.ownerReferences[*].uid',
    'metadata.ownerReferences[0].uid',
    'spec.containers[*].name',
    'spec.containers[1]',
    'status.phase',
    'metadata.managedFields.a',
    'metadata',
    'metadata.name',
    'ключ.a',
    "['x\"y\\z']",
  ],
  [
    'metadata.managedFields',
    'spec.containers[*].env',
    'metadata.labels.a',
    'metadata.labels.b',
    'status',
    'spec.nodeName',
    'items',
    'ключ',
    "['']",
  ],
);

/** The same fields, and of each object only what these paths lead to. */
const KEEPING: ScanSpec = {
  ...WANTED,
  ...spec(
    [],
    ['metadata.labels.a', 'spec.containers[*].env'],
    [
      'metadata.name',
      'metadata.labels',
      'spec.containers[*].name',
      'spec.containers[*].env',
      'status.phase',
      'ключ',
    ],
  ),
  fields: WANTED.fields,
};

describe('scan of generated JSON', () => {
  const seed = runSeed('scan of generated JSON');
  const engine = newEngine();
  const program = engine.load(WANTED);

  for (const [what, wanted] of [
    ['hold', WANTED],
    ['hold, and keeps what is wanted', KEEPING],
  ] as const) {
    it(`finds what ${DOCUMENTS} random lists ${what}, cut anywhere`, () => checkLists(wanted));
  }

  function checkLists(wanted: ScanSpec): void {
    const program = engine.load(wanted);
    for (let n = 0; n < DOCUMENTS; n++) {
      const random = new Random(seed + n);
      const generator = new Generator(random, false);
      const items = Array.from({ length: random.below(4) }, () => generator.object());
      const list = generator.list(items);
      const body = Buffer.from(generator.outerSpace() + list.text + generator.outerSpace());
      const { items: _, ...envelope } = list.value as Record<string, unknown>;

      const run = runList(engine, program, cutAnyhow(body, random));

      const what = `document ${n} of seed ${seed}: ${body.toString()}`;
      assert.deepEqual(run.problems, [], what);
      assert.deepEqual(
        run.seen,
        items.map(({ value }) => expectSeen(value, wanted)),
        what,
      );
      assert.deepEqual(run.envelope, envelope, what);
    }
    program.free();
  }

  it(`finds what ${DOCUMENTS} random watch streams hold, cut anywhere`, () => {
    for (let n = 0; n < DOCUMENTS; n++) {
      const random = new Random(seed + n);
      const generator = new Generator(random, true);
      const objects = Array.from({ length: random.below(5) }, () => generator.object());
      const texts = objects.map((object) => generator.event('ADDED', object).text + generator.outerSpace());
      const body = Buffer.from(generator.outerSpace() + texts.join(''));

      const run = runWatch(engine, program, cutAnyhow(body, random));

      const what = `stream ${n} of seed ${seed}: ${body.toString()}`;
      assert.deepEqual(run.problems, [], what);
      assert.deepEqual(
        run.seen,
        objects.map(({ value }) => expectSeen(value, WANTED, 'ADDED')),
        what,
      );
    }
  });

  it('loses no good event beside lines that were cut off', () => {
    for (let n = 0; n < DOCUMENTS; n++) {
      const random = new Random(seed + n);
      const generator = new Generator(random, true, false);
      const expected: unknown[] = [];
      const lines = Array.from({ length: 1 + random.below(6) }, () => {
        const object = generator.object();
        const { text } = generator.event('MODIFIED', object);
        if (random.chance(40)) return text.slice(0, random.below(text.length));
        expected.push(expectSeen(object.value, WANTED, 'MODIFIED'));
        return text;
      });
      const body = Buffer.from(`${lines.join('\n')}\n`);

      const run = runWatch(engine, program, cutAnyhow(body, random));

      assert.deepEqual(run.seen, expected, `stream ${n} of seed ${seed}: ${body.toString()}`);
    }
  });

  it('says the same of broken JSON wherever it is cut, and never gives what is not valid UTF-8', () => {
    for (let n = 0; n < DOCUMENTS; n++) {
      const random = new Random(seed + n);
      const isWatch = random.chance(50);
      const body = breakBytes(document(random, isWatch), random);
      const what = `document ${n} of seed ${seed}: ${body.toString('latin1')}`;
      const frame = isWatch ? runWatch : runList;

      const whole = tryRun(() => frame(engine, program, [body]));
      const inParts = tryRun(() => frame(engine, program, cutAnyhow(body, random)));

      assert.deepEqual(inParts, whole, what);
    }
  });
});

function document(random: Random, isWatch: boolean): Buffer {
  const generator = new Generator(random, isWatch);
  const objects = Array.from({ length: 1 + random.below(4) }, () => generator.object());
  if (!isWatch) return Buffer.from(generator.list(objects).text);
  return Buffer.from(
    objects.map((object) => generator.event('ADDED', object).text + generator.outerSpace()).join(''),
  );
}

/** Overwrites, removes or doubles some bytes. */
function breakBytes(body: Buffer, random: Random): Buffer {
  let broken = body;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(broken.length);
    const count = random.below(4);
    const bytes = Array.from({ length: random.below(3) }, () =>
      random.pick([...Buffer.from('{}[],:"\\\n 0a'), 0, 0xff, 0xc3]),
    );
    broken = Buffer.concat([broken.subarray(0, at), Buffer.from(bytes), broken.subarray(at + count)]);
  }
  return broken;
}

/** What a framer said; what is kept of an object may be no JSON where the scanner does not look. */
function tryRun(run: () => Run): unknown {
  try {
    const { trace, envelope, isDone } = run();
    return { trace, envelope, isDone };
  } catch (error) {
    if (error instanceof SyntaxError) return 'an object with broken JSON inside';
    throw error;
  }
}

function cutAnyhow(body: Buffer, random: Random): Iterable<Buffer> {
  if (random.chance(30)) return splitAt(body, random.below(body.length + 1));
  return chunksOf(body, 1 + random.below(random.chance(50) ? 9 : body.length + 1));
}
