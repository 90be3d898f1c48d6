/** Runs bodies through framers and turns results into plain values; and the same from parsed JSON. */
import { isAscii } from 'node:buffer';
import { hashBytes } from '../../src/layout/key-hash.ts';
import {
  SCAN_API_VERSION,
  SCAN_CUT_COUNT,
  SCAN_CUTS,
  SCAN_EVENT_TYPE,
  SCAN_FIELD_COUNT,
  SCAN_FIELD_WORDS,
  SCAN_FIELDS,
  SCAN_FLAG_NON_ASCII,
  SCAN_FLAGS,
  SCAN_HASH_HI,
  SCAN_HASH_LO,
  SCAN_KIND,
  SCAN_NAME,
  SCAN_NAMESPACE,
  SCAN_OBJECT_END,
  SCAN_OBJECT_START,
  SCAN_RESOURCE_VERSION,
  SCAN_UID,
  SCAN_VALUE_COMPOUND,
  SCAN_VALUE_LITERAL,
} from '../../src/layout/scan.ts';
import {
  type FramerOptions,
  fieldText,
  identityText,
  ListFramer,
  type LoadedProgram,
  type PathStep,
  ScanEngine,
  type ScanProblem,
  type ScanSpec,
  Step,
  WatchFramer,
} from '../../src/scan/index.ts';
import { parseJson } from './json.ts';

export const SEED = { lo: 0x12345678, hi: 0x9abcdef0 };

export function newEngine(): ScanEngine {
  return ScanEngine.create({ seed: SEED });
}

/** `a.b[*].c[0].keys()` as steps; a key in brackets and quotes may hold anything. */
export function path(text: string): PathStep[] {
  const steps: PathStep[] = [];
  for (const [, key, quoted, index] of text.matchAll(/([^.[\]]+)|\['([^']*)'\]|\[(\*|\d+)\]/g)) {
    if (key === 'keys()') steps.push({ keys: true });
    else if (index === '*') steps.push({ each: true });
    else if (index !== undefined) steps.push({ at: Number(index) });
    else steps.push({ key: key ?? quoted! });
  }
  return steps;
}

/** Fields get their place in the list as id. */
export function spec(
  fields: readonly string[],
  drops: readonly string[] = [],
  keeps: readonly string[] = [],
): ScanSpec {
  const compiled = fields.map((text, id) => ({ id, path: path(text) }));
  return { fields: compiled, drops: drops.map(path), keeps: keeps.map(path) };
}

/** What is known of one object. */
export interface Seen {
  readonly type?: string;
  readonly identity: Record<string, string>;
  /** `id=JSON` of each value, sorted. */
  readonly fields: readonly string[];
  readonly body: unknown;
}

const IDENTITY = {
  namespace: SCAN_NAMESPACE,
  name: SCAN_NAME,
  uid: SCAN_UID,
  resourceVersion: SCAN_RESOURCE_VERSION,
  kind: SCAN_KIND,
  apiVersion: SCAN_API_VERSION,
};

/** The engine's result, checked for what must hold in every result. */
export function readResult(engine: ScanEngine): Seen {
  const identity: Record<string, string> = {};
  for (const [name, word] of Object.entries(IDENTITY)) {
    const text = identityText(engine, word);
    if (text !== undefined) identity[name] = text;
  }
  const fields: string[] = [];
  for (let index = 0; index < engine.resultAt(SCAN_FIELD_COUNT); index++) {
    const tag = engine.resultAt(SCAN_FIELDS + index * SCAN_FIELD_WORDS);
    const type = tag >>> 8;
    const text = fieldText(engine, index);
    const value = type === SCAN_VALUE_LITERAL || type === SCAN_VALUE_COMPOUND ? parseJson(text) : text;
    fields.push(fieldLine(tag & 0xff, value));
  }
  checkHash(engine, identity);
  checkAscii(engine);
  const type = identityText(engine, SCAN_EVENT_TYPE);
  const seen = { identity, fields: fields.sort(), body: parseJson(keptText(engine)) };
  return type === undefined ? seen : { type, ...seen };
}

/** The object without its cuts. */
export function keptText(engine: ScanEngine): string {
  const parts: Buffer[] = [];
  let from = engine.resultAt(SCAN_OBJECT_START);
  for (let cut = 0; cut < engine.resultAt(SCAN_CUT_COUNT); cut++) {
    const begin = engine.resultAt(SCAN_CUTS + cut * 2);
    const end = engine.resultAt(SCAN_CUTS + cut * 2 + 1);
    if (begin < from || end <= begin) throw new Error(`cut ${cut} is out of order: ${begin} to ${end}`);
    parts.push(engine.bytes.subarray(from, begin));
    from = end;
  }
  parts.push(engine.bytes.subarray(from, engine.resultAt(SCAN_OBJECT_END)));
  return Buffer.concat(parts).toString();
}

function checkHash(engine: ScanEngine, identity: Record<string, string>): void {
  const { namespace = '', name } = identity;
  const seen = { lo: engine.resultAt(SCAN_HASH_LO), hi: engine.resultAt(SCAN_HASH_HI) };
  const wanted = { lo: 0, hi: 0 };
  const isEscaped = (engine.resultAt(SCAN_FLAGS) & 0x300) !== 0;
  if (name !== undefined && !isEscaped) {
    const key = Buffer.from(namespace === '' ? name : `${namespace}/${name}`);
    hashBytes(key, 0, key.length, SEED, wanted);
  }
  if (seen.lo !== wanted.lo || seen.hi !== wanted.hi)
    throw new Error(`the hash of ${namespace}/${name} is wrong`);
}

function checkAscii(engine: ScanEngine): void {
  const bytes = engine.bytes.subarray(engine.resultAt(SCAN_OBJECT_START), engine.resultAt(SCAN_OBJECT_END));
  const hasFlag = (engine.resultAt(SCAN_FLAGS) & SCAN_FLAG_NON_ASCII) !== 0;
  if (!isAscii(bytes) && !hasFlag) throw new Error('a byte above 0x7f was not noticed');
}

function fieldLine(id: number, value: unknown): string {
  return `${id}=${JSON.stringify(value)}`;
}

/** What should be seen of an object, from its parsed value. */
export function expectSeen(object: unknown, { fields, drops, keeps = [] }: ScanSpec, type?: string): Seen {
  const identity: Record<string, string> = {};
  const { metadata, ...root } = object as Record<string, unknown>;
  for (const name of ['kind', 'apiVersion']) if (typeof root[name] === 'string') identity[name] = root[name];
  for (const name of ['namespace', 'name', 'uid', 'resourceVersion']) {
    const value = isMap(metadata) ? metadata[name] : undefined;
    if (typeof value === 'string') identity[name] = value;
  }
  const lines = fields.flatMap(({ id, path }) => valuesAt(object, path).map((value) => fieldLine(id, value)));
  const body = keeps.length === 0 ? structuredClone(object) : kept(structuredClone(object), keeps);
  for (const steps of drops) drop(body, steps);
  const seen = { identity, fields: lines.sort(), body };
  return type === undefined ? seen : { type, ...seen };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valuesAt(value: unknown, [step, ...rest]: readonly PathStep[]): unknown[] {
  if (step === undefined) return [value];
  if ('key' in step)
    return isMap(value) && Object.hasOwn(value, step.key) ? valuesAt(value[step.key], rest) : [];
  if ('keys' in step) return isMap(value) ? Object.keys(value) : [];
  if (!Array.isArray(value)) return [];
  if ('each' in step) return value.flatMap((element) => valuesAt(element, rest));
  if ('where' in step) return value;
  return step.at < value.length ? valuesAt(value[step.at], rest) : [];
}

function drop(value: unknown, [step, ...rest]: readonly PathStep[]): void {
  if (step === undefined) return;
  if ('key' in step && isMap(value)) {
    if (rest.length === 0) delete value[step.key];
    else drop(value[step.key], rest);
  }
  if ('each' in step && Array.isArray(value)) for (const element of value) drop(element, rest);
}

/** What paths to keep leave of a value on their way. */
function kept(value: unknown, paths: readonly (readonly PathStep[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  if (isMap(value)) {
    const entries = Object.entries(value).flatMap(([key, child]) => {
      const below = paths.filter(([step]) => 'key' in step! && step.key === key);
      return below.length === 0
        ? []
        : [
            [
              key,
              kept(
                child,
                below.map(([, ...rest]) => rest),
              ),
            ],
          ];
    });
    return Object.fromEntries(entries);
  }
  const below = paths.filter(([step]) => 'each' in step!).map(([, ...rest]) => rest);
  return Array.isArray(value) && below.length > 0 ? value.map((element) => kept(element, below)) : value;
}

/** What one framer said, in order. */
export interface Run {
  readonly seen: Seen[];
  /** `seen` and problems in one sequence: the name or `reason@byte`. */
  readonly trace: string[];
  readonly problems: ScanProblem[];
  envelope?: Record<string, unknown> | undefined;
  isDone: boolean;
}

export type Framer = ListFramer | WatchFramer;

/** Takes all steps that are there now. False when the framer wants no more. */
export function drain(framer: Framer, engine: ScanEngine, run: Run): boolean {
  for (;;) {
    const step = framer.next();
    if (step === Step.more) return true;
    if (step === Step.done) run.isDone = true;
    if (step === Step.bad || step === Step.failed) {
      const problem = framer.problem!;
      run.problems.push(problem);
      run.trace.push(`${problem.reason}@${problem.byte}`);
    }
    if (step === Step.failed || step === Step.done) return false;
    if (step === Step.item || step === Step.event) {
      const seen = readResult(engine);
      run.seen.push(seen);
      run.trace.push(seen.identity.name ?? seen.type ?? '?');
    }
  }
}

export function newRun(): Run {
  return { seen: [], trace: [], problems: [], isDone: false };
}

/** Pushes chunks one by one, draining after each. */
export function runChunks(framer: Framer, engine: ScanEngine, chunks: Iterable<Uint8Array>): Run {
  const run = newRun();
  let wantsMore = true;
  for (const chunk of chunks) {
    framer.push(chunk);
    wantsMore = drain(framer, engine, run);
    if (!wantsMore) break;
  }
  if (wantsMore) {
    framer.end();
    drain(framer, engine, run);
  }
  if (framer instanceof ListFramer) run.envelope = framer.envelope;
  framer.close();
  return run;
}

export function runList(
  engine: ScanEngine,
  program: LoadedProgram,
  chunks: Iterable<Uint8Array>,
  options?: FramerOptions,
): Run {
  return runChunks(new ListFramer(engine, program, options), engine, chunks);
}

export function runWatch(
  engine: ScanEngine,
  program: LoadedProgram,
  chunks: Iterable<Uint8Array>,
  options?: FramerOptions,
): Run {
  return runChunks(new WatchFramer(engine, program, options), engine, chunks);
}

/** The body in two chunks. */
export function splitAt(body: Buffer, at: number): Buffer[] {
  return [body.subarray(0, at), body.subarray(at)];
}

/** The body in chunks of `bytes`. */
export function* chunksOf(body: Buffer, bytes: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
}
