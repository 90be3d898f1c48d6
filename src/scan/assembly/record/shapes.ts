/** Shapes of objects: a tree in which each node adds a key, and remembers what came last at its place. */
import {
  DICTIONARY_MAX_KEY_BYTES, DICTIONARY_MAX_KEYS, DICTIONARY_MAX_SHAPES, DICTIONARY_NON_ASCII, DICTIONARY_SHAPE_BYTES,
  DICTIONARY_SHAPE_COUNT_WORD, DICTIONARY_SHAPES_BYTE, DICTIONARY_TEXT_BYTE,
} from '../../../layout/record-dictionary';
import {
  CELL_BYTES, NODE_BYTES, NODES_BYTE, OWN_DICTIONARY_BYTE, RESULT_BYTE, RESULT_IS_FULL, SHAPE_CELLS, SHAPE_CELLS_BYTE,
} from '../../../layout/record-memory';
import { hashOf, isSame, wasSeenElsewhere } from './bytes';
import { appendText, matchesString } from './dictionary';

/**
 * Fields of a node, in bytes. The key stands in the text without its opening and with its closing quote, as JSON has
 * it. `next` and `first` are nodes: the key that followed last time, and the first key of the object that was this
 * key's value last time. Of string values, the last two that had an id are known, as id + 1.
 */
const KEY: usize = 0;
const KEY_LENGTH: usize = 4;
const NEXT: usize = 8;
const FIRST: usize = 12;
const STRING: usize = 16;
const STRING_BEFORE: usize = 20;
/** Keys of the shape. */
const DEPTH: usize = 24;
const IS_METADATA: usize = 28;
/** Hash of all keys up to this one. Nodes are found by it, and known before they are made. */
const PATH: usize = 32;

export const ROOT: usize = NODES_BYTE;
/** The place of values that have no shape's key. Its memory is as good as any: it only suggests. */
export const NO_PLACE: usize = NODES_BYTE + DICTIONARY_MAX_SHAPES * NODE_BYTES;

const SHAPES: usize = OWN_DICTIONARY_BYTE + DICTIONARY_SHAPES_BYTE;
const TEXT: usize = OWN_DICTIONARY_BYTE + DICTIONARY_TEXT_BYTE;
const COUNT: usize = OWN_DICTIONARY_BYTE + DICTIONARY_SHAPE_COUNT_WORD * 4;
const MAX_PROBES: i32 = 32;

/** `metadata`, as eight letters. */
const METADATA: u64 = 0x617461646174656d;

/** The number of the shape that ends with this node's key. */
// @ts-ignore: decorator
@inline
export function shapeOf(node: usize): u32 {
  return <u32>(node - NODES_BYTE) / NODE_BYTES;
}

// @ts-ignore: decorator
@inline
export function isMetadata(node: usize): bool {
  return load<u32>(node, IS_METADATA) != 0;
}

/** The node of the key that is likely to come next, or 0. */
// @ts-ignore: decorator
@inline
export function expectedAfter(node: usize): usize {
  return <usize>load<u32>(node, NEXT);
}

/** The node of the key that an object at this place is likely to begin with, or 0. */
// @ts-ignore: decorator
@inline
export function expectedAt(place: usize): usize {
  return <usize>load<u32>(place, FIRST);
}

/** Length of the node's key with its closing quote when the text begins with it, else 0. */
// @ts-ignore: decorator
@inline
export function matchesKey(p: usize, node: usize): usize {
  const length = <usize>load<u32>(node, KEY_LENGTH);
  return isSame(p, <usize>load<u32>(node, KEY), length) ? length : 0;
}

// @ts-ignore: decorator
@inline
export function noteNext(node: usize, child: usize): void {
  store<u32>(node, <u32>child, NEXT);
}

// @ts-ignore: decorator
@inline
export function noteFirst(place: usize, child: usize): void {
  store<u32>(place, <u32>child, FIRST);
}

/** Id + 1 of one of the last strings at this place, when the text begins with it. Its length is in `matchedBytes`. */
export let matchedBytes: usize = 0;

// @ts-ignore: decorator
@inline
export function expectedString(p: usize, place: usize): u32 {
  const last = load<u32>(place, STRING);
  if (last == 0) return 0;
  matchedBytes = matchesString(p, last - 1);
  if (matchedBytes != 0) return last;
  const before = load<u32>(place, STRING_BEFORE);
  if (before == 0) return 0;
  matchedBytes = matchesString(p, before - 1);
  return matchedBytes != 0 ? before : 0;
}

// @ts-ignore: decorator
@inline
export function noteString(place: usize, id: u32): void {
  store<u32>(place, load<u32>(place, STRING), STRING_BEFORE);
  store<u32>(place, id + 1, STRING);
}

/** The node's keys as one number, which is the same before and after it is made. */
// @ts-ignore: decorator
@inline
export function pathOf(node: usize): u64 {
  return load<u64>(node, PATH);
}

/** Notes that an object has this key behind those of a path, so that the next one with the same keys finds a shape. */
export function noteKey(path: u64, key: usize, length: u32): u64 {
  const next = hashOf(key, <usize>length, path);
  wasSeenElsewhere(next);
  return next;
}

/** Keys that a shape can have behind those of this node. */
export function keysLeft(node: usize): u32 {
  return DICTIONARY_MAX_KEYS - load<u32>(node, DEPTH);
}

/**
 * The child of a node for a key, which is given with its closing quote and without escapes, or 0. A child is made when
 * another object has had the key at this place.
 */
export function childOf(node: usize, key: usize, length: u32, isAscii: bool): usize {
  if (length > <u32>DICTIONARY_MAX_KEY_BYTES || keysLeft(node) == 0) return 0;
  const shape = shapeOf(node);
  const hash = hashOf(key, <usize>length, pathOf(node));
  const print = <u32>(hash >> 32) | 1;
  let index = <u32>hash;
  for (let probe = 0; probe < MAX_PROBES; probe++, index++) {
    const cell = <usize>(SHAPE_CELLS_BYTE + (index & (SHAPE_CELLS - 1)) * CELL_BYTES);
    const found = load<u32>(cell);
    if (found == 0) return wasSeenElsewhere(hash) ? newChild(cell, hash, node, key, length, isAscii) : 0;
    if (found != print) continue;
    const child = <usize>load<u32>(cell, 4);
    if (load<u32>(SHAPES + <usize>(shapeOf(child) * DICTIONARY_SHAPE_BYTES)) != shape) continue;
    if (load<u32>(child, KEY_LENGTH) == length && isSame(key, <usize>load<u32>(child, KEY), <usize>length)) return child;
  }
  return 0;
}

function newChild(cell: usize, hash: u64, parent: usize, key: usize, length: u32, isAscii: bool): usize {
  const shape = load<u32>(COUNT);
  const text = shape < <u32>DICTIONARY_MAX_SHAPES ? appendText(key, length) : <usize>0;
  if (text == 0) {
    store<u32>(<usize>(RESULT_BYTE + (RESULT_IS_FULL << 2)), 1);
    return 0;
  }
  const entry = SHAPES + <usize>(shape * DICTIONARY_SHAPE_BYTES);
  store<u32>(entry, shapeOf(parent));
  store<u32>(entry, <u32>(text - TEXT), 4);
  store<u32>(entry, (length - 1) | (isAscii ? 0 : DICTIONARY_NON_ASCII), 8);
  store<u32>(COUNT, shape + 1);

  const child = <usize>(NODES_BYTE + shape * NODE_BYTES);
  memory.fill(child, 0, NODE_BYTES);
  store<u32>(child, <u32>text, KEY);
  store<u32>(child, length, KEY_LENGTH);
  store<u32>(child, load<u32>(parent, DEPTH) + 1, DEPTH);
  store<u32>(child, <u32>(length == 9 && load<u64>(key) == METADATA), IS_METADATA);
  store<u64>(child, hash, PATH);
  store<u32>(cell, <u32>(hash >> 32) | 1);
  store<u32>(cell, <u32>child, 4);
  return child;
}
