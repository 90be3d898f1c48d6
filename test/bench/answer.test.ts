import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, checksumOf, problemsOf, type Truth } from '../../bench/answer.ts';

const ENTRIES = [
  ['default/web-0', '1004'],
  ['default/web-1', '1003'],
] as const;

/** Two Pods, then two updates of the first: resourceVersions 1003 and 1004, after 1002. */
const TRUTH: Truth = {
  objects: 2,
  checksum: checksumOf(ENTRIES),
  updates: 2,
  versionBefore: 1002,
  keyLetters: 26,
  containers: 3,
  watches: 1,
};

const RIGHT_KEYS: Answer = {
  adds: 2,
  updates: 2,
  deletes: 0,
  objects: 2,
  checksum: TRUTH.checksum,
  addSum: 26,
  versionSum: 0,
  outOfOrder: 0,
  merged: 0,
  errors: [],
};

const RIGHT_OBJECTS: Answer = { ...RIGHT_KEYS, addSum: 3, versionSum: 1003 + 1004 };

describe('bench answer', () => {
  it('is right when counts, sums and checksum are those of the server', () => {
    assert.deepEqual(problemsOf(RIGHT_KEYS, TRUTH, 'keys'), []);
    assert.deepEqual(problemsOf(RIGHT_OBJECTS, TRUTH, 'decode'), []);
  });

  const wrongs: [what: string, wrong: Partial<Answer>, problem: RegExp][] = [
    ['an add is missing', { adds: 1 }, /^adds: 1 instead of 2$/],
    ['an update is missing', { updates: 1 }, /^updates: 1 instead of 2$/],
    ['an update came twice', { updates: 3 }, /^updates: 3 instead of 2$/],
    ['something was deleted', { deletes: 1 }, /^deletes: 1 instead of 0$/],
    ['the cache lacks an object', { objects: 1 }, /^objects in the cache: 1 instead of 2$/],
    ['the cache has an old state', { checksum: '0123' }, /^checksum of keys .*: 0123 instead of/],
    ['updates were merged', { merged: 5 }, /^merged events: 5 instead of 0$/],
    ['the list was read wrongly', { addSum: 4 }, /^containers of listed Pods: 4 instead of 3$/],
    [
      'an update had another state',
      { versionSum: 2006 },
      /^sum of resourceVersions .*: 2006 instead of 2007$/,
    ],
    ['updates came in another order', { outOfOrder: 1 }, /^updates out of order: 1 instead of 0$/],
    ['something failed on the way', { errors: ['connection reset'] }, /^error: connection reset$/],
  ];
  for (const [what, wrong, problem] of wrongs) {
    it(`is wrong when ${what}, and says so`, () => {
      const problems = problemsOf({ ...RIGHT_OBJECTS, ...wrong }, TRUTH, 'decode');
      assert.equal(problems.length, 1);
      assert.match(problems[0]!, problem);
    });
  }

  it('is wrong when keys were not read', () => {
    assert.deepEqual(problemsOf({ ...RIGHT_KEYS, addSum: 25 }, TRUTH, 'keys'), [
      'letters of listed keys: 25 instead of 26',
    ]);
  });

  it('is wrong when the watch was opened again', () => {
    assert.deepEqual(problemsOf(RIGHT_KEYS, { ...TRUTH, watches: 2 }, 'keys'), [
      'watches opened: 2 instead of 1',
    ]);
  });
});

describe('bench checksum', () => {
  it('does not depend on the order of a cache', () => {
    assert.equal(checksumOf(ENTRIES.toReversed()), checksumOf(ENTRIES));
  });

  it('differs when one object has another resourceVersion, or two have each other’s', () => {
    const [[first, newer], [second, older]] = ENTRIES;
    const stale = [
      [first, '1002'],
      [second, older],
    ] as const;
    const swapped = [
      [first, older],
      [second, newer],
    ] as const;
    assert.notEqual(checksumOf(stale), checksumOf(ENTRIES));
    assert.notEqual(checksumOf(swapped), checksumOf(ENTRIES));
  });
});
