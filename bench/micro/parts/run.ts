/** One part in a process of its own. Prints one JSON line. */
import { type Case, measure } from '../store/measure.ts';
import { decodeCases } from './decode-cases.ts';
import { indexCases } from './index-cases.ts';
import { ringCases } from './ring-cases.ts';
import { scanCases } from './scan-cases.ts';
import { type Shape, shapes } from './shapes.ts';

const PARTS: Readonly<Record<string, (all: readonly Shape[]) => Case[]>> = {
  scan: scanCases,
  ring: ringCases,
  index: indexCases,
  decode: decodeCases,
};

console.log(JSON.stringify(await measure(PARTS[process.argv[2]!]!(shapes()))));
