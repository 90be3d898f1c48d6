/** What the scanner does to the bytes of a list and of a watch, in a reflector worker. */
import { parseFieldPath } from '../../../src/index/index.ts';
import {
  ListFramer,
  type LoadedProgram,
  ScanEngine,
  type ScanSpec,
  Step,
  WatchFramer,
} from '../../../src/scan/index.ts';
import type { Case } from '../store/measure.ts';
import type { Shape } from './shapes.ts';

const HASH_SEED = { lo: 1, hi: 2 };
/** As chunks come from a socket. */
const CHUNK_BYTES = 65_536;

const IDENTITY: ScanSpec = { fields: [], drops: [], keeps: [] };
const FIELDS: ScanSpec = {
  fields: [
    "metadata.labels['app.kubernetes.io/name']",
    "metadata.labels['app.kubernetes.io/version']",
    'spec.nodeName',
    'status.phase',
  ].map((text, id) => ({ id, path: parseFieldPath(text) })),
  drops: [parseFieldPath('metadata.managedFields')],
  keeps: [],
};

export function scanCases(all: readonly Shape[]): Case[] {
  const engine = ScanEngine.create({ seed: HASH_SEED });
  const identity = engine.load(IDENTITY);
  const fields = engine.load(FIELDS);
  return all.flatMap(({ name: contender, texts }) => {
    const list = chunks(`{"kind":"List","apiVersion":"v1","metadata":{},"items":[${texts.join(',')}]}`);
    const watch = chunks(texts.map((text) => `{"type":"MODIFIED","object":${text}}\n`).join(''));
    const operations = texts.length;
    const scanList = (program: LoadedProgram) => () =>
      scan(new ListFramer(engine, program), list, operations);
    return [
      { row: 'scan: item of a list, identity', contender, operations, run: scanList(identity) },
      {
        row: 'scan: item of a list, four fields, managedFields cut',
        contender,
        operations,
        run: scanList(fields),
      },
      {
        row: 'scan: event of a watch, four fields, managedFields cut',
        contender,
        operations,
        run: () => scan(new WatchFramer(engine, fields), watch, operations),
      },
    ];
  });
}

/** @returns how many objects were found @throws Error when these are not all */
function scan(framer: ListFramer | WatchFramer, body: readonly Buffer[], wanted: number): number {
  let found = 0;
  for (const chunk of body) {
    framer.push(chunk);
    found += take(framer);
  }
  framer.end();
  found += take(framer);
  framer.close();
  if (found !== wanted) throw new Error(`${found} objects were found instead of ${wanted}`);
  return found;
}

function take(framer: ListFramer | WatchFramer): number {
  let found = 0;
  for (;;) {
    const step = framer.next();
    if (step === Step.item || step === Step.event) found++;
    else if (step === Step.more || step === Step.done) return found;
    else throw new Error(`${framer.problem?.reason}: ${framer.problem?.message}`);
  }
}

function chunks(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
}
