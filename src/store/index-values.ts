/** Tells whether an update concerns any index: most updates of most objects don't. */
import { FIELD_ID_SHIFT, FIELD_LENGTH_MASK } from '../layout/block.ts';
import { blockFieldCount, fieldsStartWord, nextFieldWord, sameBytes } from './block.ts';
import type { Segment } from './segments.ts';

/** Which field ids are indexed: 1 at the place of each. */
export type IndexedFields = Uint8Array;

/** Are the values of all indexed fields the same, in the same order? Then an update leaves the index alone. */
export function sameIndexValues(
  a: Segment,
  blockA: number,
  b: Segment,
  blockB: number,
  indexed: IndexedFields,
): boolean {
  const wordsA = a.words;
  const wordsB = b.words;
  let wordA = fieldsStartWord(a, blockA);
  let wordB = fieldsStartWord(b, blockB);
  let leftA = blockFieldCount(a, blockA);
  let leftB = blockFieldCount(b, blockB);
  for (;;) {
    for (; leftA > 0 && indexed[wordsA[wordA]! >>> FIELD_ID_SHIFT] !== 1; leftA--) {
      wordA = nextFieldWord(wordA, wordsA[wordA]!);
    }
    for (; leftB > 0 && indexed[wordsB[wordB]! >>> FIELD_ID_SHIFT] !== 1; leftB--) {
      wordB = nextFieldWord(wordB, wordsB[wordB]!);
    }
    if (leftA === 0 || leftB === 0) return leftA === leftB;
    const head = wordsA[wordA]!;
    if (head !== wordsB[wordB]) return false;
    if (!sameBytes(a, (wordA + 1) * 4, b, (wordB + 1) * 4, head & FIELD_LENGTH_MASK)) return false;
    wordA = nextFieldWord(wordA, head);
    wordB = nextFieldWord(wordB, head);
    leftA--;
    leftB--;
  }
}
