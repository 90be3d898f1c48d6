/**
 * Bodies of lists and watches, mutated byte by byte. The scanner must agree with JSON.parse on what is in them, or
 * report that something is broken: when it reads them or when an object is decoded. More with FUZZ_BODIES, others with
 * FUZZ_SEED.
 */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Generator } from '../scan/generator.ts';
import { expectSeen, spec } from '../scan/harness.ts';
import { parseJsonSequence } from '../scan/json.ts';
import { Random } from '../scan/random.ts';
import { GuardedScanner, type Said } from './guarded.ts';
import { chunksOf, mutate } from './mutate.ts';

const seed = Number(process.env.FUZZ_SEED ?? 20261201);
const bodies = Number(process.env.FUZZ_BODIES ?? 40_000);

const WANTED = spec([
  'metadata.labels.a',
  'metadata.labels.keys()',
  'metadata.ownerReferences[*].uid',
  'spec.nodeName',
  'spec.containers[*].name',
  'spec.containers[1]',
  'status.phase',
]);

/** Bodies that are made of one document: making it takes longer than scanning it. */
const BODIES_PER_DOCUMENT = 20;

/** Whatever is read behind the end of the bytes is one of these: nothing that means something, and something that does. */
const scanners = [new GuardedScanner(WANTED, 0x00), new GuardedScanner(WANTED, 0x22)] as const;

describe('scan of mutated bytes', () => {
  it(`agrees with JSON.parse on lists, or says that they are broken (${bodies / 2} bodies)`, () => {
    console.log(`fuzz of scanned bytes: FUZZ_SEED=${seed} FUZZ_BODIES=${bodies}`);
    let list = Buffer.alloc(0);
    for (let n = 0; n < bodies / 2; n++) {
      const random = new Random(seed + n);
      if (n % BODIES_PER_DOCUMENT === 0) list = newList(random);
      checkList(mutate(list, random), random, n);
    }
  });

  it(`agrees with JSON.parse on watch streams, or says that they are broken (${bodies / 2} bodies)`, () => {
    let stream = Buffer.alloc(0);
    for (let n = 0; n < bodies / 2; n++) {
      const random = new Random(seed + n);
      if (n % BODIES_PER_DOCUMENT === 0) stream = newStream(random);
      checkWatch(mutate(stream, random), random, n);
    }
  });
});

function newList(random: Random): Buffer<ArrayBuffer> {
  const generator = new Generator(random, false);
  const objects = Array.from({ length: random.below(3) }, () => generator.object());
  return Buffer.from(generator.list(objects).text);
}

function newStream(random: Random): Buffer<ArrayBuffer> {
  const generator = new Generator(random, true);
  const texts = Array.from(
    { length: random.below(4) },
    () => generator.event('MODIFIED', generator.object()).text + generator.outerSpace(),
  );
  return Buffer.from(texts.join(''));
}

function checkList(body: Buffer, random: Random, n: number): void {
  const what = new Case('list', n, body);
  const said = scan(body, random, 'list', n, what);

  const { values, isBroken } = readAll(body);
  const root = values.length === 1 && !isBroken ? values[0] : undefined;
  const items = isMap(root) ? root.items : undefined;
  const isList =
    isMap(root) && (items === undefined || items === null || (Array.isArray(items) && items.every(isMap)));
  if (!isList) {
    what.check(isReported(said), 'nobody said that it is broken');
    return;
  }
  // Not everything is read that JSON.parse would read: it may be said to be broken, but nothing wrong may be given.
  if (said.problems.length > 0) return;
  const wanted = ((items as unknown[] | undefined | null) ?? []).map((item) => expectSeen(item, WANTED));
  what.checkSame(said.seen, wanted);
  const { items: _, ...envelope } = root as Record<string, unknown>;
  what.checkSame(said.envelope, envelope);
}

function checkWatch(body: Buffer, random: Random, n: number): void {
  const what = new Case('watch', n, body);
  const said = scan(body, random, 'watch', n, what);

  const { values, isBroken } = readAll(body);
  if (isBroken || !values.every(isEvent)) {
    what.check(isReported(said), 'nobody said that it is broken');
    return;
  }
  if (said.problems.length > 0) return;
  const wanted = values.map((event) => expectSeen(event.object, WANTED, event.type as string));
  what.checkSame(said.seen, wanted);
}

/** One body, which a failure shows. */
class Case {
  readonly #kind: string;
  readonly #n: number;
  readonly #body: Buffer;

  constructor(kind: string, n: number, body: Buffer) {
    this.#kind = kind;
    this.#n = n;
    this.#body = body;
  }

  check(holds: boolean, claim: string): void {
    if (!holds) assert.fail(`${this.#name}: ${claim}`);
  }

  /** As assert.deepEqual, which takes a text that costs more than all the rest. */
  checkSame(found: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(found, wanted)) assert.deepEqual(found, wanted, this.#name);
  }

  get #name(): string {
    return `${this.#kind} ${this.#n} of seed ${seed}: ${JSON.stringify(this.#body.toString('latin1'))}`;
  }
}

/** Both scanners must say the same, and so must one that gets the body whole. Asked of one body in four. */
function scan(body: Buffer, random: Random, kind: 'list' | 'watch', n: number, what: Case): Said {
  const said = scanners[0][kind](chunksOf(body, random));
  if (n % 4 === 0) what.checkSame(scanners[1][kind]([body]), said);
  return said;
}

/** Something was found to be broken: in the body, or in an object when it was decoded. */
function isReported({ problems, seen, isDone }: Said): boolean {
  return problems.length > 0 || seen.includes(undefined) || !isDone;
}

function readAll(body: Buffer): { values: unknown[]; isBroken: boolean } {
  if (!isUtf8(body)) return { values: [], isBroken: true };
  return parseJsonSequence(body.toString());
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEvent(value: unknown): value is { type: unknown; object: unknown } {
  return isMap(value) && typeof value.type === 'string' && isMap(value.object);
}
