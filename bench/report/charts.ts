/** Charts of a run as SVG, drawn by Vega-Lite, which `npm install --prefix bench` brings. */

import { isOurs } from '../suite/contender.ts';
import { type FigureName, figureOf } from './figures.ts';
import { type Group, type Row, spreadIn } from './groups.ts';
import { labelOf, MODE_LABELS } from './labels.ts';
import { titleOf } from './page.ts';

export interface Chart {
  /** A part of the file's name. */
  readonly name: string;
  readonly title: string;
  /** A Vega-Lite specification. */
  readonly spec: object;
}

/** What is used of vega-lite and vega. */
interface VegaLiteModule {
  compile(spec: object): { readonly spec: object };
}
interface VegaModule {
  parse(spec: object): object;
  resetSVGDefIds(): void;
  readonly View: new (
    runtime: object,
    options: { readonly renderer: 'none' },
  ) => { toSVG(): Promise<string>; finalize(): void };
}

/** Greys that stand out from white and from a dark page alike: a picture can't know where it is shown. */
const TEXT = '#7d8590';
const LINES = '#7d859055';
const OURS_COLOR = '#2f81f7';
const THEIRS_COLOR = '#8b929c';

const WIDTH = 460;
const ROW_HEIGHT = 26;
/** Room for a figure behind the longest bar. */
const LABEL_WIDTH = 150;

/** One bar of a chart. */
interface Bar {
  readonly name: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly label: string;
  readonly color: string;
}

const CHARTED: readonly {
  readonly name: string;
  readonly scenario: Group['scenario'];
  readonly figure: FigureName;
  readonly title: string;
  /** Differences of a hundred times can't be seen otherwise. */
  readonly isLog?: boolean;
}[] = [
  {
    name: 'list',
    scenario: 'list',
    figure: 'wallMs',
    title: 'Time until the cache is complete, ms: less is better',
  },
  { name: 'list-rss', scenario: 'list', figure: 'rssMb', title: 'Resident memory, MB: less is better' },
  {
    name: 'list-stall',
    scenario: 'list',
    figure: 'stallMaxMs',
    title: 'Longest stall of the event loop, ms: less is better',
    isLog: true,
  },
  { name: 'events', scenario: 'events', figure: 'eventsPerSecond', title: 'Events a second: more is better' },
  {
    name: 'latency',
    scenario: 'latency',
    figure: 'latencyP99',
    title: '99 % of latencies are below, ms: less is better',
    isLog: true,
  },
  {
    name: 'mixed',
    scenario: 'mixed',
    figure: 'eventsPerSecond',
    title: 'Events a second: more is better',
  },
  {
    name: 'many',
    scenario: 'many',
    figure: 'wallMs',
    title: 'Time until all caches are complete, ms: less is better',
  },
  {
    name: 'real',
    scenario: 'real',
    figure: 'wallMs',
    title: 'Time until the cache is complete, ms: less is better',
  },
];

/** Of each figure the largest size that more than one contender has. */
export function chartsOf(groups: readonly Group[]): Chart[] {
  return CHARTED.flatMap(({ name, scenario, figure, title, isLog = false }) => {
    const group = groups
      .filter((candidate) => candidate.scenario === scenario)
      .findLast(({ rows }) => new Set(rows.filter(has(figure)).map(({ contender }) => contender)).size > 1);
    if (group === undefined) return [];
    const bars = group.rows.filter(has(figure)).map((row) => barOf(row, figure));
    return [
      { name, title: `${title} (${titleOf(group)})`, spec: specOf(bars, title, titleOf(group), isLog) },
    ];
  });
}

/** @returns undefined when vega is not installed */
export async function loadDrawer(): Promise<((chart: Chart) => Promise<string>) | undefined> {
  // Names in variables: types of what may be missing can't be asked for.
  const names = ['vega', 'vega-lite'] as const;
  try {
    for (const name of names) import.meta.resolve(name);
  } catch {
    return undefined;
  }
  const vega = (await import(names[0] as string)) as VegaModule;
  const vegaLite = (await import(names[1] as string)) as VegaLiteModule;
  return async ({ spec }) => {
    // Ids are counted on over all charts otherwise, and the same chart would be another file.
    vega.resetSVGDefIds();
    const view = new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: 'none' });
    try {
      return `${await view.toSVG()}\n`;
    } finally {
      view.finalize();
    }
  };
}

function has(figure: FigureName): (row: Row) => boolean {
  return (row) => spreadIn(row, figure) !== undefined;
}

function barOf(row: Row, figure: FigureName): Bar {
  const { median, min, max } = spreadIn(row, figure)!;
  const ours = isOurs(row.contender);
  const mode = ours || row.mode !== 'keys' ? `, ${MODE_LABELS[row.mode]}` : '';
  const { digits } = figureOf(figure);
  return {
    name: `${labelOf(row.contender)}${mode}`,
    median,
    min,
    max,
    label: median.toLocaleString('en-US', { maximumFractionDigits: digits }),
    color: ours ? OURS_COLOR : THEIRS_COLOR,
  };
}

function specOf(bars: readonly Bar[], title: string, subtitle: string, isLog: boolean): object {
  const most = Math.max(...bars.map(({ max }) => max));
  const least = Math.min(...bars.map(({ min }) => min));
  // Room for labels, in the units of the axis.
  const room = WIDTH / (WIDTH - LABEL_WIDTH);
  const scale = isLog
    ? { type: 'log', domain: [least / 2, most * (most / (least / 2)) ** (room - 1)] }
    : { domain: [0, most * room] };
  const ticks = isLog ? { values: logTicks(scale.domain[0]!, scale.domain[1]!) } : { tickCount: 5 };
  // A bar has no beginning on a logarithmic axis.
  const mark = isLog
    ? { type: 'point', filled: true, size: 110, opacity: 1 }
    : { type: 'bar', height: { band: 0.62 } };
  const y = { field: 'name', type: 'nominal', sort: null, title: null };
  const axis = { ...ticks, format: ',~f' };
  const x = (field: string) => ({ field, type: 'quantitative', scale, axis, title: null });
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: null,
    width: WIDTH,
    height: bars.length * ROW_HEIGHT,
    padding: 8,
    title: {
      text: isLog ? `${title} (logarithmic)` : title,
      subtitle,
      anchor: 'start',
      frame: 'bounds',
      offset: 12,
    },
    data: { values: bars },
    layer: [
      {
        mark,
        encoding: { y, x: x('median'), color: { field: 'color', type: 'nominal', scale: null } },
      },
      {
        mark: { type: 'rule', color: TEXT, strokeWidth: 1.5 },
        encoding: { y, x: x('min'), x2: { field: 'max' } },
      },
      {
        mark: { type: 'text', align: 'left', dx: 10, color: TEXT, fontWeight: 600 },
        encoding: { y, x: x('max'), text: { field: 'label' } },
      },
    ],
    config: {
      font: 'system-ui, sans-serif',
      title: { color: TEXT, subtitleColor: TEXT, fontSize: 14, subtitleFontSize: 12 },
      axis: {
        labelColor: TEXT,
        labelFontSize: 12,
        labelLimit: 260,
        gridColor: LINES,
        domain: false,
        ticks: false,
      },
      axisY: { labelPadding: 8, grid: false },
      view: { stroke: null },
      text: { fontSize: 12 },
    },
  };
}

/** 1, 2 and 5 in each power of ten; of more than two powers only the 1. */
function logTicks(low: number, high: number): number[] {
  const factors = high / low > 200 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: 24 }, (_, i) => i - 12);
  return powers
    .flatMap((power) => factors.map((factor) => factor * 10 ** power))
    .filter((tick) => tick >= low && tick <= high);
}
