/** Changes bodies: bytes anywhere, tokens, numbers of brackets, encodings. Everything comes from a seed. */
import type { Random } from '../scan/random.ts';

/** Bytes that mean something to a scanner. */
const TOKENS = [...Buffer.from('{}[]",:\\/\n\r\t 0-.eEu+tfn\0\x7f\x80\xc3\xed\xef\xbf\xbb\xff', 'latin1')];

/** Pieces that make trouble where they don't belong, and sometimes where they do. */
const PIECES = [
  '\ufeff',
  '\0',
  '"\\ud800"',
  '\\udc00',
  '\\u0000',
  '{}',
  '[]',
  '""',
  'null',
  '"metadata":{}',
  '"metadata":null,',
  '"name":"other",',
  '"items":[]',
  '"items":[{}],',
  '"object":{}',
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{}},',
  ',',
  ',,',
  ':',
  '-0',
  '1e999',
  '01',
  '.5',
  'NaN',
  '[[[[[[[[[[[[[[[[',
  ']]]]',
  '}}}}',
  '\\"\\"\\"',
].map((piece) => Buffer.from(piece));

/** One to three changes. */
export function mutate(body: Buffer, random: Random): Buffer {
  let mutated = body;
  for (let left = 1 + random.below(3); left > 0; left--) mutated = changeOnce(mutated, random);
  return mutated;
}

function changeOnce(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length + 1);
  const rest = body.subarray(at);
  const before = body.subarray(0, at);
  switch (random.below(9)) {
    case 0:
      return flipBit(body, random);
    case 1:
      return Buffer.concat([before, Buffer.of(random.pick(TOKENS)), rest]);
    case 2:
      return Buffer.concat([before, Buffer.of(random.pick(TOKENS)), rest.subarray(1)]);
    case 3:
      return Buffer.concat([before, rest.subarray(1 + random.below(4))]);
    case 4:
      return Buffer.concat([before, rest.subarray(0, random.below(40)), rest]);
    case 5:
      return Buffer.concat([before, random.pick(PIECES), rest]);
    case 6:
      return Buffer.concat([before, random.pick(PIECES), rest.subarray(random.below(20))]);
    case 7:
      return body.subarray(0, at);
    default:
      return swapTokens(body, random);
  }
}

function flipBit(body: Buffer, random: Random): Buffer {
  if (body.length === 0) return body;
  const flipped = Buffer.from(body);
  const at = random.below(body.length);
  flipped[at]! ^= 1 << random.below(8);
  return flipped;
}

/** Another token in place of one that is there: what comes of that often still looks like JSON. */
function swapTokens(body: Buffer, random: Random): Buffer {
  const swapped = Buffer.from(body);
  let at = random.below(body.length + 1);
  while (at < body.length && !TOKENS.includes(body[at]!)) at++;
  if (at < body.length) swapped[at] = random.pick(TOKENS);
  return swapped;
}

/** The body in chunks: whole, in two, or in many of one size. */
export function chunksOf(body: Buffer, random: Random): Buffer[] {
  const how = random.below(4);
  if (how === 0) return [body];
  if (how === 1) {
    const at = random.below(body.length + 1);
    return [body.subarray(0, at), body.subarray(at)];
  }
  const size = how === 2 ? 1 + random.below(9) : 1 + random.below(body.length + 1);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size));
  return chunks;
}
