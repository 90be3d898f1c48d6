/** Runs cases with tinybench, after each has given its answer. Used in every process and thread of the benchmark. */
import { Bench } from 'tinybench';

export interface Case {
  /** Cases of the same row are compared. */
  readonly row: string;
  readonly contender: string;
  /** Operations of one call of `run`: a single lookup is shorter than a look at the clock. */
  readonly operations: number;
  /** Gives a number that depends on what was found; the same for all contenders of a row in their first call. */
  readonly run: () => number;
}

export interface CaseFigures {
  readonly row: string;
  readonly contender: string;
  readonly answer: number;
  /** Of one operation. */
  readonly medianNs: number;
  /** Calls of `run` that were timed. */
  readonly samples: number;
}

/** Of each case. A call of a second, as of a list of everything, is timed a few times all the same. */
const TIME_MS = 300;
const WARM_UP_MS = 100;
const LEAST_CALLS = 3;

export async function measure(cases: readonly Case[]): Promise<CaseFigures[]> {
  const bench = new Bench({
    time: TIME_MS,
    iterations: LEAST_CALLS,
    warmupTime: WARM_UP_MS,
    warmupIterations: 1,
    throws: true,
  });
  const answers = cases.map(({ run }) => run());
  for (const { row, contender, run } of cases) {
    bench.add(`${row}: ${contender}`, () => {
      sink.last = run();
    });
  }
  const tasks = await bench.run();
  return cases.map(({ row, contender, operations }, i) => {
    const { result } = tasks[i]!;
    if (result.state !== 'completed') throw new Error(`${row}: ${contender} is ${result.state}`);
    const { p50, samplesCount } = result.latency;
    return {
      row,
      contender,
      answer: answers[i]!,
      medianNs: (p50 * 1e6) / operations,
      samples: samplesCount,
    };
  });
}

/** Where results go, so that no work can be left out. */
const sink = { last: 0 };
