/** The table in README.md, made of the newest results so that nobody copies figures by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OURS } from '../suite/contender.ts';
import type { Mode, ScenarioName } from '../suite/protocol.ts';
import type { FigureName } from './figures.ts';
import { type Group, groupsOf, rivalOf, spreadIn } from './groups.ts';
import { labelOf, MODE_LABELS } from './labels.ts';
import { isHeader, type Results, ResultsError } from './load.ts';
import { number, table } from './page.ts';

const START = '<!-- bench:start -->';
const END = '<!-- bench:end -->';

const NOTHING_YET = 'No run of the whole suite is published yet: `npm run bench -- --save` makes one.';

interface ReadmeLine {
  readonly text: string;
  readonly scenario: ScenarioName;
  readonly figure: FigureName;
  readonly mode: Mode;
  /** Divides, and is put behind the figure. */
  readonly unit: readonly [divisor: number, name: string, digits: number];
}

const SECONDS = [1000, ' s', 1] as const;
const LINES: readonly ReadmeLine[] = [
  { text: 'first list', scenario: 'list', figure: 'wallMs', mode: 'keys', unit: SECONDS },
  {
    text: 'longest stall of the event loop meanwhile',
    scenario: 'list',
    figure: 'stallMaxMs',
    mode: 'keys',
    unit: [1, ' ms', 0],
  },
  { text: 'memory (RSS) after it', scenario: 'list', figure: 'rssMb', mode: 'keys', unit: [1, ' MB', 0] },
  { text: 'first list', scenario: 'list', figure: 'wallMs', mode: 'decode-all', unit: SECONDS },
  ...(['keys', 'two-fields', 'decode-all'] as const).map((mode) => ({
    text: 'events a second',
    scenario: 'events' as const,
    figure: 'eventsPerSecond' as const,
    mode,
    unit: [1, '', 0] as const,
  })),
  {
    text: 'main-thread CPU per event',
    scenario: 'events',
    figure: 'mainCpuUsPerEvent',
    mode: 'keys',
    unit: [1, ' µs', 1],
  },
];

/** Of those that were measured, in this order. */
const COLUMNS = ['client-node', 'client-go-typed', 'kube-rs'];

/** The newest results of the whole suite in a folder, by their own date; undefined when there are none. */
export function newestResults(folder: string): string | undefined {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name, header: headerOf(join(folder, name)) }))
    .filter(({ header }) => isHeader(header) && header.name === 'bench')
    .toSorted((a, b) => (headerDate(a.header) < headerDate(b.header) ? -1 : 1));
  return found.at(-1)?.name;
}

/** @param results - undefined when nothing was published yet @param name - of the results file, without extension */
export function readmeSection(
  results: Results | undefined,
  name: string,
  pictures: readonly string[],
): string {
  if (results === undefined) return NOTHING_YET;
  const groups = groupsOf(results.samples);
  const used = COLUMNS.filter((column) =>
    groups.some(({ rows }) => rows.some((row) => row.contender === column && row.problem === undefined)),
  );
  const lines = LINES.flatMap((line) => {
    const group = groupOf(groups, line.scenario);
    if (group === undefined || rivalOf(group.rows, OURS, line.mode)?.mode !== line.mode) return [];
    return [cellsOf(line, group, [OURS, ...used])];
  });
  const { machine, versions } = results.header;
  const head = [
    `${machine.cores} cores, ${machine.cpu}`,
    ...[OURS, ...used].map((name) => titled(name, versions)),
  ];
  return [
    table(head, lines, 1),
    `Medians. Who was measured in one way only (${MODE_LABELS.keys}) stands with that one in every line: all but kubering decode each
object in any case. Ranges, all other figures, and where kubering loses: [results/${name}.md](results/${name}.md).`,
    ...pictures.map((file) => `![](results/${file})`),
  ].join('\n\n');
}

/** @throws {@link ResultsError} when the page has no place for it */
export function withSection(readme: string, section: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new ResultsError(`the README has no ${START} followed by ${END}`);
  return `${readme.slice(0, start)}${START}\n${section}\n${readme.slice(end)}`;
}

/** The size that is promised most about, or else the largest that several were measured at. */
function groupOf(groups: readonly Group[], scenario: ScenarioName): Group | undefined {
  const mine = groups.filter((group) => group.scenario === scenario && group.rows.length > 1);
  return mine.find(({ objects }) => objects === 50_000) ?? mine.at(-1);
}

function cellsOf(
  { text, figure, mode, unit }: ReadmeLine,
  group: Group,
  contenders: readonly string[],
): string[] {
  const [divisor, name, digits] = unit;
  const cells = contenders.map((contender) => {
    const row = rivalOf(group.rows, contender, mode);
    if (row?.problem !== undefined) return 'wrong answer';
    const spread = spreadIn(row, figure);
    return spread === undefined ? '–' : `${number(spread.median / divisor, digits)}${name}`;
  });
  return [`${number(group.objects, 0)} objects, ${MODE_LABELS[mode]}: ${text}`, ...cells];
}

function titled(contender: string, versions: Readonly<Record<string, string>>): string {
  const version = versions[contender] ?? versions[contender.replace(/-(typed|dynamic|protobuf)$/, '')];
  return `${labelOf(contender)}${version === undefined ? '' : ` ${version}`}`;
}

function headerOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0]!);
  } catch {
    return undefined;
  }
}

function headerDate(header: unknown): string {
  return isHeader(header) ? header.date : '';
}
