/** The tables that a run ends with on a terminal. `bench/report` makes the ones that are published. */
import { type Spread, spreadOf } from '../summary.ts';
import type { ResultLine, SampleFigures, SampleLine } from './results.ts';

interface Column {
  readonly title: string;
  readonly digits: number;
  readonly value: (figures: SampleFigures) => number | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: 'wall ms', digits: 0, value: ({ wallMs }) => wallMs },
  { title: 'events/s', digits: 0, value: ({ eventsPerSecond }) => eventsPerSecond },
  { title: 'latency p50 ms', digits: 2, value: ({ latencyMs }) => latencyMs?.p50 },
  { title: 'p99 ms', digits: 2, value: ({ latencyMs }) => latencyMs?.p99 },
  { title: 'CPU ms', digits: 0, value: ({ cpuMs }) => cpuMs },
  { title: 'main µs/event', digits: 1, value: ({ mainCpuUsPerEvent }) => mainCpuUsPerEvent },
  { title: 'stall ms', digits: 1, value: ({ stallMaxMs }) => stallMaxMs },
  { title: 'RSS MB', digits: 0, value: ({ rssMb }) => rssMb },
];

/** Prints a table for each scenario, size and rate: medians, and minimum to maximum. */
export function printTables(lines: readonly ResultLine[]): void {
  const samples = lines.filter((line): line is SampleLine => line.kind === 'sample');
  const counted = samples.filter(({ warmup, aa }) => !warmup && aa === undefined);
  const groups = Map.groupBy(counted, ({ scenario, objects, rate, objectKind, transport }) => {
    const paced = rate === undefined ? '' : `, ${rate} events/s`;
    return `${scenario}, ${objects} objects (${objectKind}, ${transport})${paced}`;
  });
  for (const [title, group] of groups) {
    console.log(`\n${title}`);
    const rows = Map.groupBy(group, ({ contender, mode }) => `${contender}, ${mode}`);
    console.table(Object.fromEntries([...rows].map(([name, row]) => [name, rowOf(row)])));
  }
  for (const line of lines) {
    if (line.kind === 'skipped') console.log(`skipped: ${line.scenario}, ${line.contender}: ${line.reason}`);
  }
}

function rowOf(samples: readonly SampleLine[]): Record<string, string> {
  const wrong = samples.find(({ answer }) => !answer.right);
  if (wrong !== undefined) return { 'wall ms': 'wrong answer' };
  const row: Record<string, string> = {};
  for (const { title, digits, value } of COLUMNS) {
    const values = samples
      .map(({ figures }) => figures && value(figures))
      .filter((found) => found !== undefined);
    if (values.length > 0) row[title] = show(spreadOf(values), digits);
  }
  return row;
}

function show({ median, min, max }: Spread, digits: number): string {
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(digits));
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}
