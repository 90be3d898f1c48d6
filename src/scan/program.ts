/**
 * Compiles a scan spec to a trie. Each node stands for a place in an object; what is wanted of the value at
 * that place, identity strings among it, is noted at the node.
 */
import {
  SCAN_API_VERSION,
  SCAN_EVENT_TYPE,
  SCAN_IDENTITY,
  SCAN_KIND,
  SCAN_NAME,
  SCAN_NAMESPACE,
  SCAN_RESOURCE_VERSION,
  SCAN_UID,
} from '../layout/scan.ts';
import { ScanSpecError } from './errors.ts';
import { MAX_NODE_KEYS, MAX_NODES } from './program-layout.ts';
import { checkSpec, type PathStep, pathText, type ScanSpec } from './spec.ts';

/** A place in an object, and what is wanted there. */
export interface ProgramNode {
  /** Numbers are given depth first: a subtree is the range from `number` to `lastNumber`. */
  number: number;
  lastNumber: number;
  /** Number of the identity string that the value is, or -1. */
  identity: number;
  isObject: boolean;
  isDropped: boolean;
  /** Of an object at this place, only the keys that are named are kept. */
  keepsNamed: boolean;
  readonly valueIds: number[];
  readonly keyIds: number[];
  readonly keys: Map<string, ProgramNode>;
  readonly at: Map<number, ProgramNode>;
  each: ProgramNode | undefined;
}

export interface Program {
  /** Where the scan of a watch event starts. */
  readonly event: ProgramNode;
  /** Where the scan of a list item starts; part of the event's tree. */
  readonly object: ProgramNode;
}

type Want =
  | { readonly valueId: number }
  | { readonly identity: number }
  | { readonly drop: true }
  | { readonly keep: true };

/** What happens to what lies at a place, as far as the places around it decide that. */
const Fate = {
  /** It stays, unless its own path says something else. */
  stays: 0,
  /** It is on the way to what is kept: it goes, unless it leads there. */
  mayGo: 1,
  /** It goes with what is around it. */
  goes: 2,
} as const;

type Fate = (typeof Fate)[keyof typeof Fate];

/** A path with what is wanted at its end. */
interface Line {
  readonly path: readonly PathStep[];
  readonly want: Want;
}

const IDENTITY_PATHS: readonly (readonly [word: number, ...keys: string[]])[] = [
  [SCAN_NAMESPACE, 'metadata', 'namespace'],
  [SCAN_NAME, 'metadata', 'name'],
  [SCAN_UID, 'metadata', 'uid'],
  [SCAN_RESOURCE_VERSION, 'metadata', 'resourceVersion'],
  [SCAN_KIND, 'kind'],
  [SCAN_API_VERSION, 'apiVersion'],
];

/** @throws ScanSpecError when the spec is wrong or too large */
export function compileSpec(spec: ScanSpec): Program {
  checkSpec(spec);
  const lines: Line[] = IDENTITY_PATHS.map(([word, ...keys]) => ({
    path: keys.map((key) => ({ key })),
    want: { identity: (word - SCAN_IDENTITY) / 2 },
  }));
  for (const { id, path } of spec.fields) lines.push({ path: scannedPath(path), want: { valueId: id } });
  for (const path of spec.drops) lines.push({ path, want: { drop: true } });
  const { keeps = [] } = spec;
  for (const path of keeps) lines.push({ path, want: { keep: true } });

  const object = buildNode(lines, 0, keeps.length === 0 ? Fate.stays : Fate.mayGo);
  object.isObject = true;
  const event = emptyNode();
  const type = emptyNode();
  type.identity = (SCAN_EVENT_TYPE - SCAN_IDENTITY) / 2;
  event.keys.set('type', type).set('object', object);
  const nodes = numberNodes(event, 1) - 1;
  if (nodes > MAX_NODES) {
    throw new ScanSpecError(
      `the paths of a scan spec make ${nodes} places, at most ${MAX_NODES} are possible`,
    );
  }
  return { event, object };
}

/** A filter gets each element of its array. */
function scannedPath(path: readonly PathStep[]): readonly PathStep[] {
  const filter = path.findIndex((step) => 'where' in step);
  return filter === -1 ? path : [...path.slice(0, filter), { each: true }];
}

/**
 * Whether a spec can be loaded, for threads without a scanner.
 *
 * @throws ScanSpecError when it is wrong or too large
 */
export function checkScanSpec(spec: ScanSpec): void {
  compileSpec(spec);
}

function emptyNode(): ProgramNode {
  return {
    number: 0,
    lastNumber: 0,
    identity: -1,
    isObject: false,
    isDropped: false,
    keepsNamed: false,
    valueIds: [],
    keyIds: [],
    keys: new Map(),
    at: new Map(),
    each: undefined,
  };
}

/** The node that `depth` steps of all these lines lead to. */
function buildNode(lines: readonly Line[], depth: number, around: Fate): ProgramNode {
  const node = emptyNode();
  const deeper: Line[] = [];
  for (const line of lines) {
    const step = line.path[depth];
    if (step !== undefined && !('keys' in step)) deeper.push(line);
    else if (step === undefined) noteWant(node, line.want);
    else if ('valueId' in line.want) node.keyIds.push(line.want.valueId);
  }
  const inside = decideFate(node, lines, depth, around);

  for (const [key, below] of groupBy(deeper, depth, 'key')) {
    node.keys.set(key as string, buildNode(below, depth + 1, inside));
  }
  // An element with its own index is also one of each: its node stands for both.
  const each = deeper.filter((line) => 'each' in line.path[depth]!);
  for (const [index, below] of groupBy(deeper, depth, 'at')) {
    node.at.set(index as number, buildNode([...below, ...each], depth + 1, inside));
  }
  if (each.length > 0) node.each = buildNode(each, depth + 1, inside);

  if (node.keys.size > MAX_NODE_KEYS) {
    const place = lines[0]!.path.slice(0, depth);
    throw new ScanSpecError(
      `the paths of a scan spec name ${node.keys.size} keys under ${depth === 0 ? 'the object' : pathText(place)}, ` +
        `at most ${MAX_NODE_KEYS} are possible (those of the identity included): use fewer fields`,
    );
  }
  return node;
}

function noteWant(node: ProgramNode, want: Want): void {
  if ('valueId' in want) node.valueIds.push(want.valueId);
  else if ('identity' in want) node.identity = want.identity;
  else if ('drop' in want) node.isDropped = true;
}

/** Notes at a node whether it goes, and which of its keys; and returns what that means for what is inside. */
function decideFate(node: ProgramNode, lines: readonly Line[], depth: number, around: Fate): Fate {
  if (around === Fate.goes) {
    // Cuts must not overlap: what lies in a dropped value goes with it.
    node.isDropped = false;
    return Fate.goes;
  }
  if (node.isDropped) return Fate.goes;
  if (around === Fate.stays) return Fate.stays;
  const keeps = lines.filter((line) => 'keep' in line.want);
  if (keeps.some((line) => line.path.length === depth)) return Fate.stays;
  node.isDropped = keeps.length === 0;
  node.keepsNamed = keeps.length > 0;
  return node.isDropped ? Fate.goes : Fate.mayGo;
}

function groupBy(lines: readonly Line[], depth: number, kind: 'key' | 'at'): Map<string | number, Line[]> {
  const groups = new Map<string | number, Line[]>();
  for (const line of lines) {
    const step = line.path[depth] as { key?: string; at?: number };
    const name = step[kind];
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [line]);
    else group.push(line);
  }
  return groups;
}

/** Numbers the subtree from `next` on, and returns the first number that is free. */
function numberNodes(node: ProgramNode, next: number): number {
  node.number = next;
  let free = next + 1;
  for (const child of childrenOf(node)) free = numberNodes(child, free);
  node.lastNumber = free - 1;
  return free;
}

export function* childrenOf(node: ProgramNode): Generator<ProgramNode> {
  yield* node.keys.values();
  yield* node.at.values();
  if (node.each !== undefined) yield node.each;
}
