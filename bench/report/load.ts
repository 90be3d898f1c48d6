/** Reads results files of the suite, one or several of the same day's work. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { HeaderLine, ResultLine, SampleLine, SkippedLine } from '../suite/results.ts';

export interface Results {
  /** Of the first file: names the page. */
  readonly header: HeaderLine;
  /** Of all files, with the name of each. */
  readonly sources: readonly { readonly file: string; readonly header: HeaderLine }[];
  /** Those that count: warm-ups and the A/A pair are kept apart. */
  readonly samples: readonly SampleLine[];
  readonly pair: readonly SampleLine[];
  readonly skipped: readonly SkippedLine[];
}

/** Thrown for files that are no results of the suite, or can't be shown on one page. */
export class ResultsError extends Error {
  override readonly name = 'ResultsError';
  readonly code = 'ERR_BENCH_RESULTS';
}

/** @param paths - at least one @throws {@link ResultsError} */
export function loadResults(paths: readonly string[]): Results {
  return mergeResults(paths.map((path) => ({ file: basename(path), lines: linesOf(path) })));
}

/** @throws {@link ResultsError} when machines or commits differ: then figures can't stand side by side */
export function mergeResults(
  files: readonly { readonly file: string; readonly lines: readonly ResultLine[] }[],
): Results {
  const sources = files.map(({ file, lines }) => ({ file, header: lines[0] as HeaderLine }));
  const [first, ...others] = sources;
  if (first === undefined) throw new ResultsError('no results file was given');
  for (const { file, header } of others) {
    const { machine, commit } = first.header;
    if (header.machine.cpu !== machine.cpu || header.machine.cores !== machine.cores) {
      throw new ResultsError(
        `${file} was measured on another machine than ${first.file}: make a page of each`,
      );
    }
    if (header.commit !== commit) {
      throw new ResultsError(
        `${file} was measured at another commit than ${first.file}: make a page of each`,
      );
    }
  }
  const lines = files.flatMap((file) => file.lines);
  const samples = lines.filter((line) => line.kind === 'sample').filter(({ warmup }) => !warmup);
  return {
    header: first.header,
    sources,
    samples: samples.filter(({ aa }) => aa === undefined),
    pair: samples.filter(({ aa }) => aa !== undefined),
    skipped: lines.filter((line) => line.kind === 'skipped'),
  };
}

function linesOf(path: string): ResultLine[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parse(line, path, index + 1));
  if (!isHeader(lines[0])) {
    throw new ResultsError(`${path} does not begin with a header of the suite (npm run bench writes it)`);
  }
  return lines;
}

/** Whether this is the first line of results in the form that is understood here. */
export function isHeader(line: unknown): line is HeaderLine {
  const { kind, suite } = (line ?? {}) as Partial<HeaderLine>;
  return kind === 'header' && suite === 1;
}

function parse(line: string, path: string, number: number): ResultLine {
  try {
    return JSON.parse(line) as ResultLine;
  } catch (cause) {
    throw new ResultsError(
      `line ${number} of ${path} is no JSON: was the run interrupted? --resume goes on with it`,
      {
        cause,
      },
    );
  }
}
