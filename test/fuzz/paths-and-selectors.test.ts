/** Field paths and label selectors of any text: understood, or refused with an error that says where. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileAccessor, FieldPathError, formatFieldPath, parseFieldPath } from '../../src/index/index.ts';
import { LabelSelectorError, parseLabelSelector, type Requirement } from '../../src/selector/index.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20261201);
const numRuns = Math.ceil(Number(process.env.FUZZ_BODIES ?? 40_000) / 4);

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        'metadata',
        '.',
        '..',
        '[',
        ']',
        '[*]',
        '[0]',
        "['",
        "']",
        '"',
        '\\',
        'keys()',
        '$',
        '@',
        '?(',
        '==',
      ),
      { maxLength: 12 },
    )
    .map((tokens) => tokens.join('')),
);
const selectorText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        'app',
        'a/b',
        ' ',
        '=',
        '==',
        '!=',
        '!',
        ',',
        'in',
        'notin',
        '(',
        ')',
        'x-1',
        '>',
        '<',
        '5',
        '-3',
        '',
      ),
      { maxLength: 14 },
    )
    .map((tokens) => tokens.join('')),
);

describe('field paths of any text', () => {
  it(`are parsed, or refused with a FieldPathError (${numRuns} texts)`, () => {
    fc.assert(
      fc.property(anything, (text) => {
        const steps = orError(() => parseFieldPath(text), FieldPathError);
        if (steps === undefined) return;
        assert.deepEqual(
          parseFieldPath(formatFieldPath(steps)),
          steps,
          'written and parsed again it is the same',
        );
      }),
      { seed, numRuns },
    );
  });

  it('lead nowhere beyond an object that is JSON, and change nothing', () => {
    fc.assert(
      fc.property(anything, fc.jsonValue(), (text, value) => {
        const steps = orError(() => parseFieldPath(text), FieldPathError);
        if (steps === undefined) return;
        const before = JSON.stringify(value);
        for (const found of compileAccessor(steps)(value as object)) {
          assert.notEqual(typeof found, 'function', 'nothing of a prototype');
        }
        assert.equal(JSON.stringify(value), before);
      }),
      { seed, numRuns },
    );
  });
});

describe('label selectors of any text', () => {
  it(`are parsed, or refused with a LabelSelectorError (${numRuns} texts)`, () => {
    fc.assert(
      fc.property(
        selectorText,
        fc.dictionary(fc.constantFrom('app', 'a/b', 'x-1'), fc.constantFrom('', '5', 'x')),
        (text, labels) => {
          const selector = orError(() => parseLabelSelector(text), LabelSelectorError);
          if (selector === undefined) return;
          const again = parseLabelSelector(selector.requirements.map(textOf).join(','));
          assert.equal(
            again.matches(labels),
            selector.matches(labels),
            'written and parsed again it is the same',
          );
        },
      ),
      { seed, numRuns },
    );
  });
});

/** A requirement as `kubectl -l` takes it. */
function textOf({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key} ${operator} (${values.join(',')})`;
  }
}

function orError<T>(run: () => T, kind: new (...args: never[]) => Error): T | undefined {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof kind, `threw ${(error as Error).stack}`);
    return undefined;
  }
}
