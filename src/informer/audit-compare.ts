/**
 * Compares a list of identities with the Indexer, shard by shard: first the hashes of a shard's uids and
 * resourceVersions, and only where these differ, its keys. Objects that changed since the list was made are no matter:
 * their resourceVersion is newer than the list's. What remains is only suspected, see `audit-run.ts`.
 */
import type { HashSeed, KeyHash } from '../layout/key-hash.ts';
import { SLOT_BITS } from '../layout/shard.ts';
import { compareResourceVersions } from '../reflector/index.ts';
import {
  blockResourceVersion,
  fromOffset8,
  hashVersion,
  type Indexer,
  type SegmentTable,
} from '../store/index.ts';
import {
  addToDigest,
  DIGEST_WORDS,
  IDENTITY_KEY_AT,
  IDENTITY_KEY_HI,
  IDENTITY_KEY_LENGTH,
  IDENTITY_KEY_LO,
  IDENTITY_VERSION_HI,
  IDENTITY_VERSION_LO,
  IDENTITY_WORDS,
  type IdentityTable,
} from '../worker/index.ts';

/** Slots or rows between two looks at the time: some tenths of a millisecond. */
const STEP = 512;

/** Bits of the upper half of a key's hash that fit a double beside the lower half. */
const HI_BITS = 21;

export interface CompareOptions {
  readonly indexer: Indexer;
  readonly segments: SegmentTable;
  readonly seed: HashSeed;
  readonly table: IdentityTable;
  /** Version of the list. The cache has reached it. */
  readonly resourceVersion: string;
  /** Whether an object of the Indexer is one that the list is about. */
  readonly owns: (slot: number) => boolean;
  /** Whether an object was deleted since the list was asked for, by {@link keyId}. */
  readonly wasDeleted: (id: number) => boolean;
  /** An object that may be wrong. */
  readonly suspect: (key: string) => void;
}

/** Names a key by 53 bits of its hash. Two keys that share them are only suspected wrongly. */
export function keyId(hashLo: number, hashHi: number): number {
  return (hashLo >>> 0) * 2 ** HI_BITS + (hashHi & (2 ** HI_BITS - 1));
}

/**
 * Goes on when it is asked for the next value, so that the caller lets the event loop run between two.
 *
 * @returns the number of shards whose hashes differed
 */
export function* compare(options: CompareOptions): Generator<void, number> {
  let differing = 0;
  for (let shard = 0; shard < options.indexer.shards.length; shard++) {
    if (yield* hasSameDigest(options, shard)) continue;
    differing++;
    yield* compareKeys(options, shard);
  }
  return differing;
}

function* hasSameDigest(options: CompareOptions, shard: number): Generator<void, boolean> {
  const { indexer, table, owns } = options;
  const digest = new Int32Array(DIGEST_WORDS);
  const version: KeyHash = { lo: 0, hi: 0 };
  let steps = 0;
  for (let slot = firstOf(indexer, shard); slot !== -1; slot = nextOf(indexer, shard, slot)) {
    if (++steps % STEP === 0) yield;
    if (!isLive(indexer, slot) || !owns(slot)) continue;
    readVersion(options, slot, version);
    addToDigest(digest, 0, indexer.hashLoOf(slot), indexer.hashHiOf(slot), version.lo, version.hi);
  }
  const at = shard * DIGEST_WORDS;
  return digest[0] === table.digests[at] && digest[1] === table.digests[at + 1];
}

function* compareKeys(options: CompareOptions, shard: number): Generator<void, void> {
  const { indexer, table, owns, wasDeleted, suspect } = options;
  const { rows, starts } = table;
  const listed = new Map<number, number>();
  let steps = 0;
  for (let row = starts[shard]!; row < starts[shard + 1]!; row++) {
    if (++steps % STEP === 0) yield;
    const at = row * IDENTITY_WORDS;
    listed.set(keyId(rows[at + IDENTITY_KEY_LO]!, rows[at + IDENTITY_KEY_HI]!), at);
  }
  const version: KeyHash = { lo: 0, hi: 0 };
  for (let slot = firstOf(indexer, shard); slot !== -1; slot = nextOf(indexer, shard, slot)) {
    if (++steps % STEP === 0) yield;
    if (!isLive(indexer, slot) || !owns(slot)) continue;
    const id = keyId(indexer.hashLoOf(slot), indexer.hashHiOf(slot));
    const at = listed.get(id);
    listed.delete(id);
    readVersion(options, slot, version);
    const isSame =
      at !== undefined &&
      rows[at + IDENTITY_VERSION_LO] === version.lo &&
      rows[at + IDENTITY_VERSION_HI] === version.hi;
    if (!isSame && !isNewer(options, slot)) suspect(indexer.keyOf(slot));
  }
  for (const [id, at] of listed) {
    if (++steps % STEP === 0) yield;
    if (!wasDeleted(id)) suspect(keyAt(table, at));
  }
}

function firstOf(indexer: Indexer, shard: number): number {
  return nextOf(indexer, shard, (shard << SLOT_BITS) - 1);
}

/** The next object of the shard behind a slot, or -1. */
function nextOf(indexer: Indexer, shard: number, slot: number): number {
  const next = indexer.nextSlot(slot);
  return next >>> SLOT_BITS === shard ? next : -1;
}

/** An object may go while the caller lets others run. */
function isLive(indexer: Indexer, slot: number): boolean {
  return indexer.lengthOf(slot) !== 0;
}

/** As a worker hashes it, in signed words; zeros when there is no resourceVersion. */
function readVersion({ indexer, segments, seed }: CompareOptions, slot: number, out: KeyHash): void {
  const segment = segments.get(indexer.segmentOf(slot));
  const hasVersion = hashVersion(segment, fromOffset8(indexer.offset8Of(slot)), seed, out);
  out.lo = hasVersion ? out.lo | 0 : 0;
  out.hi = hasVersion ? out.hi | 0 : 0;
}

function isNewer({ indexer, segments, resourceVersion }: CompareOptions, slot: number): boolean {
  const segment = segments.get(indexer.segmentOf(slot));
  const version = blockResourceVersion(segment, fromOffset8(indexer.offset8Of(slot)));
  return compareResourceVersions(version, resourceVersion) > 0;
}

function keyAt({ rows, keys }: IdentityTable, at: number): string {
  const begin = rows[at + IDENTITY_KEY_AT]!;
  return Buffer.from(keys.buffer, keys.byteOffset + begin, rows[at + IDENTITY_KEY_LENGTH]!).toString();
}
