/** Whole JSON documents with everything that JSON allows, made by fast-check, which shrinks what fails. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { expectSeen, spec } from '../scan/harness.ts';
import { parseJsonSequence } from '../scan/json.ts';
import { GuardedScanner } from './guarded.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20261201);
/** Far fewer than the byte-level fuzz has: each is made, not mutated. */
const numRuns = Math.ceil(Number(process.env.FUZZ_BODIES ?? 40_000) / 40);

const WANTED = spec(['metadata.labels.keys()', 'spec.a', "['']", 'b[*].c']);
const scanner = new GuardedScanner(WANTED, 0x22);

/** Texts with lone surrogates, NUL, BOM and every other character. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udfff', '\0', '\ufeff', '"', '\\', '\n', 'é', 'x'),
    maxLength: 9,
  }),
);
const key = fc.oneof(
  text,
  fc.constantFrom(
    'metadata',
    'name',
    'namespace',
    'labels',
    'spec',
    'a',
    'b',
    'c',
    'items',
    '__proto__',
    'toJSON',
  ),
);

/** JSON texts, made of texts: members may come twice, and numbers are written in every way. */
const { value: jsonText } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      text.map((one) => JSON.stringify(one)),
      fc.constantFrom(
        'null',
        'true',
        'false',
        '0',
        '-0',
        '1E400',
        '12345678901234567890',
        '-1.5e-7',
        '{}',
        '[]',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => JSON.stringify(one)),
    ),
    fc.array(tie('value'), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 5 })
    .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`),
}));
const objectText = fc
  .array(fc.tuple(key, jsonText), { maxLength: 6 })
  .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`);
const cuts = fc.array(fc.nat(), { maxLength: 4 });

describe('scan of made documents', () => {
  it(`finds in lists what JSON.parse does (${numRuns} lists)`, () => {
    fc.assert(
      fc.property(fc.array(objectText, { maxLength: 4 }), jsonText, cuts, (items, more, at) => {
        const body = Buffer.from(`{"kind":"XList","items":[${items.join(',')}],"metadata":${more}}`);
        const said = scanner.list(cut(body, at));

        assert.deepEqual(said.problems, []);
        assert.deepEqual(
          said.seen,
          items.map((item) => expectSeen(parse(item), WANTED)),
        );
        assert.deepEqual(said.envelope, { kind: 'XList', metadata: parse(more) });
      }),
      { seed, numRuns },
    );
  });

  it(`finds in watches what JSON.parse does (${numRuns} streams)`, () => {
    fc.assert(
      fc.property(fc.array(objectText, { maxLength: 4 }), cuts, (objects, at) => {
        const body = Buffer.from(objects.map((one) => `{"type":"ADDED","object":${one}}\n`).join(''));
        const said = scanner.watch(cut(body, at));

        assert.deepEqual(said.problems, []);
        assert.deepEqual(
          said.seen,
          objects.map((one) => expectSeen(parse(one), WANTED, 'ADDED')),
        );
      }),
      { seed, numRuns },
    );
  });
});

function cut(body: Buffer, at: readonly number[]): Buffer[] {
  const places = at.map((place) => place % (body.length + 1)).sort((a, b) => a - b);
  const bounds = [0, ...places, body.length];
  return bounds.slice(1).map((end, i) => body.subarray(bounds[i], end));
}

/** V8's own parser mixes up escaped keys now and then. */
function parse(json: string): unknown {
  return parseJsonSequence(json).values[0];
}
