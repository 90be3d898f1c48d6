/** Writes a compiled program to WASM memory, see program-layout.ts. */

import { childrenOf, type Program, type ProgramNode } from './program.ts';
import {
  AT_CHILD,
  AT_ENTRY_BYTES,
  AT_INDEX,
  KEY_BYTES,
  KEY_CHILD,
  KEY_ENTRY_BYTES,
  KEY_LENGTH,
  KEY_PREFIX,
  NODE_AT,
  NODE_AT_COUNT,
  NODE_BYTES,
  NODE_EACH,
  NODE_FLAG_DROP,
  NODE_FLAG_KEEPS_NAMED,
  NODE_FLAG_OBJECT,
  NODE_FLAG_WALK_ARRAY,
  NODE_FLAG_WALK_OBJECT,
  NODE_FLAGS,
  NODE_ID_COUNTS,
  NODE_IDENTITY_SHIFT,
  NODE_IDS,
  NODE_KEY_COUNT,
  NODE_KEYS,
  NODE_LENGTH_MASK,
  NODE_NUMBERS,
} from './program-layout.ts';

/** Programs and their parts begin on such a boundary. */
export const PROGRAM_ALIGN_BYTES = 8;

/** Bytes that {@link writeProgram} needs. */
export function programBytes(program: Program): number {
  return nodeBytes(program.event);
}

function nodeBytes(node: ProgramNode): number {
  let bytes = ownBytes(node);
  for (const child of childrenOf(node)) bytes += nodeBytes(child);
  return bytes;
}

function ownBytes(node: ProgramNode): number {
  let bytes = NODE_BYTES + node.keys.size * KEY_ENTRY_BYTES + node.at.size * AT_ENTRY_BYTES;
  bytes += align((node.valueIds.length + node.keyIds.length) * 4);
  for (const key of node.keys.keys()) bytes += align(Buffer.byteLength(key));
  return bytes;
}

function align(bytes: number): number {
  return (bytes + PROGRAM_ALIGN_BYTES - 1) & -PROGRAM_ALIGN_BYTES;
}

export interface ProgramAddresses {
  readonly eventNode: number;
  readonly objectNode: number;
}

/** @param address - where there is room for {@link programBytes}, aligned to {@link PROGRAM_ALIGN_BYTES} */
export function writeProgram(program: Program, memory: Buffer, address: number): ProgramAddresses {
  const writer = { memory, next: address, addresses: new Map<ProgramNode, number>() };
  const eventNode = writeNode(program.event, writer);
  return { eventNode, objectNode: writer.addresses.get(program.object)! };
}

interface Writer {
  readonly memory: Buffer;
  next: number;
  readonly addresses: Map<ProgramNode, number>;
}

function writeNode(node: ProgramNode, writer: Writer): number {
  const { memory } = writer;
  const address = writer.next;
  writer.addresses.set(node, address);
  const keys = address + NODE_BYTES;
  const at = keys + node.keys.size * KEY_ENTRY_BYTES;
  const ids = at + node.at.size * AT_ENTRY_BYTES;
  let keyBytes = ids + align((node.valueIds.length + node.keyIds.length) * 4);
  writer.next = address + ownBytes(node);
  memory.fill(0, address, writer.next);

  memory.writeUInt32LE(nodeFlags(node), address + NODE_FLAGS);
  memory.writeUInt16LE(node.number, address + NODE_NUMBERS);
  memory.writeUInt16LE(node.lastNumber, address + NODE_NUMBERS + 2);
  memory.writeBigUInt64LE(lengthMask(node), address + NODE_LENGTH_MASK);
  memory.writeUInt32LE(node.keys.size, address + NODE_KEY_COUNT);
  memory.writeUInt32LE(keys, address + NODE_KEYS);
  memory.writeUInt32LE(node.at.size, address + NODE_AT_COUNT);
  memory.writeUInt32LE(at, address + NODE_AT);
  memory.writeUInt16LE(node.valueIds.length, address + NODE_ID_COUNTS);
  memory.writeUInt16LE(node.keyIds.length, address + NODE_ID_COUNTS + 2);
  memory.writeUInt32LE(ids, address + NODE_IDS);
  for (const [index, id] of [...node.valueIds, ...node.keyIds].entries())
    memory.writeUInt32LE(id, ids + index * 4);

  for (const [index, [key, child]] of [...node.keys].entries()) {
    const entry = keys + index * KEY_ENTRY_BYTES;
    const length = memory.write(key, keyBytes);
    memory.copy(memory, entry + KEY_PREFIX, keyBytes, keyBytes + Math.min(length, 8));
    memory.writeUInt32LE(length, entry + KEY_LENGTH);
    memory.writeUInt32LE(keyBytes, entry + KEY_BYTES);
    memory.writeUInt32LE(writeNode(child, writer), entry + KEY_CHILD);
    keyBytes += align(length);
  }
  for (const [index, [element, child]] of [...node.at].entries()) {
    memory.writeUInt32LE(element, at + index * AT_ENTRY_BYTES + AT_INDEX);
    memory.writeUInt32LE(writeNode(child, writer), at + index * AT_ENTRY_BYTES + AT_CHILD);
  }
  if (node.each !== undefined) memory.writeUInt32LE(writeNode(node.each, writer), address + NODE_EACH);
  return address;
}

function nodeFlags(node: ProgramNode): number {
  let flags = (node.identity + 1) << NODE_IDENTITY_SHIFT;
  if (node.isDropped) flags |= NODE_FLAG_DROP;
  if (node.isObject) flags |= NODE_FLAG_OBJECT;
  if (node.keepsNamed) flags |= NODE_FLAG_KEEPS_NAMED;
  if (node.keys.size > 0 || node.keyIds.length > 0 || node.keepsNamed) flags |= NODE_FLAG_WALK_OBJECT;
  if (node.at.size > 0 || node.each !== undefined) flags |= NODE_FLAG_WALK_ARRAY;
  return flags;
}

function lengthMask(node: ProgramNode): bigint {
  let mask = 0n;
  for (const key of node.keys.keys()) mask |= 1n << BigInt(Math.min(Buffer.byteLength(key), 63));
  return mask;
}
