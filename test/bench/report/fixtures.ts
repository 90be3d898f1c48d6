/** Made-up results: figures follow from the contender, so that each ratio is known. */
import { mergeResults, type Results } from '../../../bench/report/load.ts';
import type { Mode, ScenarioName } from '../../../bench/suite/protocol.ts';
import type { HeaderLine, ResultLine, SampleFigures, SampleLine } from '../../../bench/suite/results.ts';

export const HEADER: HeaderLine = {
  kind: 'header',
  suite: 1,
  name: 'bench',
  command: 'npm run bench -- --save',
  date: '2026-12-01T01:02:03.000Z',
  seed: 1,
  commit: 'abc1234',
  localChanges: false,
  machine: { cpu: 'Made-up CPU', cores: 2, memoryGb: 8, kernel: '6.1', os: 'Made-up OS' },
  versions: { node: 'v24.0.0', kubering: '0.1.0', 'client-node': '2.0.1', 'client-go': '0.37.2' },
  bareReader: { listMBps: 1500, eventsPerSecond: 120_000 },
  options: {},
};

export interface SampleOptions extends Partial<Omit<SampleLine, 'figures'>> {
  readonly figures?: Partial<SampleFigures>;
}

export function sample(
  scenario: ScenarioName,
  contender: string,
  { figures, ...rest }: SampleOptions = {},
): SampleLine {
  return {
    kind: 'sample',
    scenario,
    contender,
    mode: 'keys',
    objects: 50_000,
    objectKind: 'pod',
    transport: 'http',
    sample: 0,
    warmup: false,
    load: [0.1, 0.5],
    busy: false,
    figures: {
      wallMs: 1000,
      cpuMs: 1000,
      rssMb: 100,
      rssPeakMb: 120,
      calls: 50_000,
      serverCpuMs: 10,
      ...figures,
    },
    answer: { right: true, problems: [] },
    ...rest,
  };
}

/** Three samples that are 1 % apart. */
export function samples(
  scenario: ScenarioName,
  contender: string,
  options: SampleOptions = {},
): SampleLine[] {
  return [0.99, 1, 1.01].map((factor, number) => {
    const entries = Object.entries(options.figures ?? {}).map(([name, value]) => [
      name,
      typeof value === 'number' ? value * factor : value,
    ]);
    return sample(scenario, contender, { ...options, sample: number, figures: Object.fromEntries(entries) });
  });
}

const MODES: readonly Mode[] = ['keys', 'two-fields', 'decode-all'];

/** Lists and events of kubering and two others; client-go gave a wrong answer to the list, kube-rs was skipped. */
export function someLines(): ResultLine[] {
  const list = (wallMs: number, rssMb: number) => ({ wallMs, rssMb, stallMaxMs: wallMs / 2 });
  const events = (eventsPerSecond: number) => ({
    eventsPerSecond,
    mainCpuUsPerEvent: 500_000 / eventsPerSecond,
  });
  const wrong = { right: false, problems: ['objects in the cache: 49999 instead of 50000'] };
  return [
    HEADER,
    { kind: 'skipped', contender: 'kube-rs', scenario: 'list', reason: 'cargo is not installed' },
    sample('list', 'kubering', { warmup: true, figures: { wallMs: 99_999 } }),
    ...(['A', 'B'] as const).flatMap((aa) => samples('list', 'kubering', { aa, objects: 10_000 })),
    ...MODES.flatMap((mode, i) => samples('list', 'kubering', { mode, figures: list(1000 * (i + 1), 500) })),
    ...samples('list', 'client-node', { figures: list(7000, 1900) }),
    ...samples('list', 'client-go-typed', { figures: list(10_000, 1500), answer: wrong }),
    ...MODES.flatMap((mode, i) =>
      samples('events', 'kubering', { mode, figures: events([90_000, 30_000, 10_000][i]!) }),
    ),
    ...MODES.flatMap((mode) => samples('events', 'client-node', { mode, figures: events(12_000) })),
  ];
}

export function resultsOf(lines: readonly ResultLine[]): Results {
  return mergeResults([{ file: '2026-12-01-bench.jsonl', lines }]);
}
