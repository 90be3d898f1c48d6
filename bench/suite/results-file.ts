/** A results file grows by a line with each sample, so that a run can be interrupted at any time and go on. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OptionsError } from './options.ts';
import { keyOf } from './plan.ts';
import type { HeaderLine, ResultLine } from './results.ts';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));

/** Where a run is kept that nobody asked to keep, so that it can be resumed all the same. */
const LAST_RUN = join(homedir(), '.cache', 'kubering', 'bench', 'last-run.jsonl');

export interface WhereOptions {
  readonly out?: string;
  readonly save: boolean;
  readonly date: string;
  readonly name: string;
}

export function resultsPath({ out, save, date, name }: WhereOptions): string {
  if (out !== undefined) return out;
  return save ? join(RESULTS, `${date.slice(0, 10)}-${name}.jsonl`) : LAST_RUN;
}

/** @throws OptionsError when results would be overwritten that somebody asked to keep */
export function refuseToOverwrite(path: string): void {
  if (path === LAST_RUN || !existsSync(path)) return;
  throw new OptionsError(`${path} exists: go on with --resume, rename it or remove it`);
}

export class ResultsFile {
  readonly path: string;
  readonly lines: ResultLine[];
  readonly #keys: Set<string>;

  private constructor(path: string, lines: ResultLine[]) {
    this.path = path;
    this.lines = lines;
    this.#keys = new Set(lines.flatMap((line) => (line.kind === 'sample' ? [keyOf(line)] : [])));
  }

  static create(path: string, header: HeaderLine): ResultsFile {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(header)}\n`);
    return new ResultsFile(path, [header]);
  }

  /** Reads what is there. A last line that was cut off in the middle is dropped. @throws OptionsError */
  static reopen(path: string): ResultsFile {
    if (!existsSync(path)) throw new OptionsError(`there is no run to go on with: ${path} does not exist`);
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const lines = whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ResultLine);
    if (lines[0]?.kind !== 'header') throw new OptionsError(`${path} is not a results file of this suite`);
    if (whole !== text) writeFileSync(path, whole);
    return new ResultsFile(path, lines);
  }

  get header(): HeaderLine {
    return this.lines[0] as HeaderLine;
  }

  /** Whether the sample with this key was taken already. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  append(line: ResultLine): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
    this.lines.push(line);
    if (line.kind === 'sample') this.#keys.add(keyOf(line));
  }
}
