import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ScanEngine, ScanSpec } from '../../src/scan/index.ts';
import { chunksOf, expectSeen, newEngine, type Run, runList, runWatch, spec, splitAt } from './harness.ts';
import { Random, runSeed } from './random.ts';

const SMALL_BYTES = 3000;
/** Together a thousand cuts of each large body. */
const RANDOM_ROUNDS = 10;
const CUTS_PER_ROUND = 100;

const WANTED = spec(
  [
    'spec.nodeName',
    "metadata.labels['app.kubernetes.io/name']",
    'metadata.ownerReferences[*].uid',
    'status.phase',
    'metadata.labels.keys()',
    'spec.containers[0].image',
    'spec.containers[*].name',
    'metadata.annotations',
  ],
  ['metadata.managedFields', 'metadata.annotations', 'spec.containers[*].env', 'status.conditions'],
);

const LISTS = [
  'list-pods',
  'list-pods-page2',
  'list-pods-rv0-limit',
  'list-widgets',
  'list-empty',
  'list-rv-exact-old',
  'list-partial-metadata',
  'list-sharded',
  'list-continue-expired',
  'list-unauthorized',
  'list-rv-too-large',
  'list-bad-rv',
  'list-bad-selector',
  'list-not-acceptable',
];
const WATCHES = [
  'watch-widgets',
  'watch-timeout-clean-eof',
  'watch-rv-too-old',
  'watchlist-widgets',
  'watchlist-pods-web',
  'watchlist-gzip',
];

function wire(name: string): Buffer {
  const body = readFileSync(new URL(`../fixtures/wire/${name}.body`, import.meta.url));
  return name.includes('gzip') ? gunzipSync(body) : body;
}

/** Runs the body cut in many ways; each run must give the same. */
function checkCuts(body: Buffer, run: (chunks: Iterable<Buffer>) => void): void {
  run([body]);
  if (body.length < SMALL_BYTES) {
    run(chunksOf(body, 1));
    for (let at = 1; at < body.length; at++) run(splitAt(body, at));
    return;
  }
  for (const bytes of [977, 16_384, 65_536]) run(chunksOf(body, bytes));
  run(chunksOf(body.subarray(0, 50_000), 7));
}

function checkRandomCuts(body: Buffer, random: Random, run: (chunks: Iterable<Buffer>) => void): void {
  if (body.length < SMALL_BYTES) return;
  for (let round = 0; round < RANDOM_ROUNDS; round++) {
    const cuts = Array.from({ length: CUTS_PER_ROUND }, () => random.below(body.length)).sort(
      (a, b) => a - b,
    );
    run([...cuts, body.length].map((cut, index) => body.subarray(cuts[index - 1] ?? 0, cut)));
  }
}

describe('scan of wire captures', () => {
  const random = new Random(runSeed('scan of wire captures'));
  const engine = newEngine();

  for (const name of LISTS) {
    it(`gives of ${name} what JSON.parse gives, wherever it is cut`, () => {
      const check = listCheck(engine, wire(name), WANTED);
      checkCuts(wire(name), check);
      checkRandomCuts(wire(name), random, check);
    });
  }

  for (const name of WATCHES) {
    it(`gives of ${name} what JSON.parse gives, wherever it is cut`, () => {
      const check = watchCheck(engine, wire(name), WANTED);
      checkCuts(wire(name), check);
      checkRandomCuts(wire(name), random, check);
    });
  }

  it('says that a body is no JSON', () => {
    const program = engine.load(spec([]));
    const run = runList(engine, program, [wire('list-unknown-resource')]);

    assert.deepEqual(run.trace, ['not-json@0']);
    assert.equal(run.envelope, undefined);
    program.free();
  });
});

function listCheck(engine: ScanEngine, body: Buffer, wanted: ScanSpec): (chunks: Iterable<Buffer>) => void {
  const { items, ...envelope } = JSON.parse(body.toString()) as { items?: unknown[] };
  const expected = (items ?? []).map((item) => expectSeen(item, wanted));
  const program = engine.load(wanted);
  return (chunks) => {
    const parts = [...chunks];
    const run = runList(engine, program, parts);
    if (Buffer.concat(parts).length < body.length) return checkPart(run, expected);
    assert.deepEqual(run.problems, []);
    assert.deepEqual(run.seen, expected);
    assert.deepEqual(run.envelope, envelope);
    assert.ok(run.isDone);
  };
}

function watchCheck(engine: ScanEngine, body: Buffer, wanted: ScanSpec): (chunks: Iterable<Buffer>) => void {
  const lines = body.toString().trimEnd().split('\n');
  const expected = lines.map((line) => {
    const { type, object } = JSON.parse(line) as { type: string; object: unknown };
    return expectSeen(object, wanted, type);
  });
  const program = engine.load(wanted);
  return (chunks) => {
    const parts = [...chunks];
    const run = runWatch(engine, program, parts);
    if (Buffer.concat(parts).length < body.length) return checkPart(run, expected);
    assert.deepEqual(run.problems, []);
    assert.deepEqual(run.seen, expected);
    assert.ok(run.isDone);
  };
}

/** A body that was cut off gives its first objects, then says so. */
function checkPart(run: Run, expected: readonly unknown[]): void {
  assert.deepEqual(run.seen, expected.slice(0, run.seen.length));
  assert.deepEqual(
    run.problems.map((problem) => problem.reason),
    ['truncated'],
  );
}
