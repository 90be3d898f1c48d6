/** What the tests of the suite are run with. */
import { fileURLToPath } from 'node:url';
import type { Contender } from '../../../bench/suite/contender.ts';
import { readOptions, type SuiteOptions } from '../../../bench/suite/options.ts';
import { SCENARIOS } from '../../../bench/suite/protocol.ts';

const SCRIPT = fileURLToPath(new URL('./simple-contender.ts', import.meta.url));

/** A contender that works, or fails in the way that `flaw` says. */
export function simpleContender(name: string, flaw = ''): Contender {
  return {
    name,
    label: name,
    modes: ['keys', 'decode-all'],
    scenarios: SCENARIOS,
    available: async () => undefined,
    build: async () => {},
    command: () => ({ file: process.execPath, args: [SCRIPT], env: { FLAW: flaw } }),
    versions: async () => ({ [name]: '1.0.0' }),
  };
}

/** A contender that can't run here. */
export function missingContender(name: string, reason: string): Contender {
  return { ...simpleContender(name), available: async () => reason };
}

export function optionsOf(...args: string[]): SuiteOptions {
  return readOptions(args)!;
}
