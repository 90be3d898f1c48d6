/** The write-up of a run, in Markdown. */

import { isOurs } from '../suite/contender.ts';
import { noiseOf } from '../suite/noise.ts';
import type { HeaderLine } from '../suite/results.ts';
import { type Figure, type FigureName, figureOf, SCENARIO_FIGURES } from './figures.ts';
import { checkGoals, targetOf } from './goals.ts';
import {
  type Comparison,
  compare,
  type Group,
  groupsOf,
  pairsOf,
  type Row,
  spreadIn,
  verdictOf,
} from './groups.ts';
import { labelOf, MODE_LABELS } from './labels.ts';
import type { Results } from './load.ts';

/** A picture that lies beside the page. */
export interface PagePicture {
  readonly file: string;
  readonly title: string;
}

export interface PageParts {
  /** What a person wrote: where kubering loses, and why. */
  readonly notes?: string;
  readonly pictures: readonly PagePicture[];
}

const HOW_TO_READ = `Figures are medians, with minimum and maximum of the samples. Ratios say how many times better kubering is, by medians,
with a 95 % bootstrap interval: below 1 it is worse. A difference counts only when the interval is on one side of 1, and
when it is larger than that of a program to itself (A/A). What each figure means is in [bench/README.md](../bench/README.md).`;

/** What is there for whoever wants to know at once. */
export function pageOf(results: Results, { notes, pictures }: PageParts): string {
  const groups = groupsOf(results.samples);
  const compared = groups.map((group) => ({ group, comparisons: comparisonsOf(group) }));
  const noise = noiseOf(results.pair)?.apart ?? 0;
  const sections = [
    `# Benchmark, ${results.header.date.slice(0, 10)}`,
    conditions(results),
    HOW_TO_READ,
    `## Goals\n\n${goalTable(groups, results)}`,
    `## Where kubering loses\n\n${differences(compared, 'worse', noise)}`,
    ...(notes === undefined ? [] : [notes.trim()]),
    `## Where kubering wins\n\n${differences(compared, 'better', noise)}`,
    ...pictures.map(({ file, title }) => `![${title}](${file})`),
    ...compared.map(({ group, comparisons }) => groupSection(group, comparisons, noise)),
    `## What was not measured\n\n${skippedList(results)}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function conditions(results: Results): string {
  const { header, samples, pair, sources } = results;
  const { machine, versions, bareReader } = header;
  const noise = noiseOf(pair);
  const busy = samples.filter((sample) => sample.busy).length;
  const wrong = samples.filter(({ answer }) => !answer.right).length;
  const lines = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, kernel ${machine.kernel}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    `commit ${header.commit}${header.localChanges ? ' with local changes' : ''}, seed ${header.seed}, ${sampleCount(results)}`,
    `a reader that only counts bytes gets ${number(bareReader.listMBps, 0)} MB/s of a list and ${number(bareReader.eventsPerSecond, 0)} events/s from the same server`,
    noise === undefined
      ? 'no A/A pair was measured: how large noise is can only be seen from minimum and maximum'
      : `A/A: the same program measured twice is ${number(noise.apart * 100, 1)} % apart; its slowest sample took ${number(noise.spread, 2)} times its fastest`,
    busy === 0
      ? 'nobody else was at work on this machine'
      : `**others were at work on this machine** at the start of ${busy} of ${samples.length} samples: look at ratios only`,
    wrong === 0
      ? 'every answer was compared with what the server had, and is right'
      : `**${wrong} of ${samples.length} answers are wrong**: their figures are left out`,
  ];
  const commands = sources.map(({ header: { command } }: { header: HeaderLine }) => `    ${command}`);
  const raw = sources.map(({ file }) => `[${file}](${file})`).join(', ');
  return [...commands, '', ...[...lines, `raw results: ${raw}`].map((line) => `* ${line}`)].join('\n');
}

function sampleCount({ samples }: Results): string {
  const counts = new Set(groupsOf(samples).flatMap(({ rows }) => rows.map((row) => row.samples.length)));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const many = least === most ? `${most}` : `${least} to ${most}`;
  return `${many} samples of each, each in a fresh process`;
}

function goalTable(groups: readonly Group[], results: Results): string {
  const rows = checkGoals(groups, results).map(({ goal, state, said }) => {
    const verdict = state === 'met' ? 'met' : `**${state}**`;
    return [goal.text, targetOf(goal), said, verdict];
  });
  return table(['', 'goal', 'measured', ''], rows, 4);
}

interface Compared {
  readonly group: Group;
  readonly comparisons: readonly Comparison[];
}

function comparisonsOf(group: Group): Comparison[] {
  return pairsOf(group).flatMap(({ ours, theirs }) => {
    return SCENARIO_FIGURES[group.scenario].compared
      .map((figure) => compare(ours, theirs, figure))
      .filter((found) => found !== undefined);
  });
}

/** A line for each scenario and way to read objects; the largest difference first. */
function differences(all: readonly Compared[], wanted: 'better' | 'worse', noise: number): string {
  const lines = all.flatMap(({ group, comparisons }) => {
    const found = comparisons.filter((one) => verdictOf(one, noise) === wanted);
    const byRow = Map.groupBy(found, ({ ours }) => rowTitle(ours));
    return [...byRow].map(([title, ones]) => {
      const parts = ones
        .toSorted((a, b) => (wanted === 'better' ? b.ratio - a.ratio : a.ratio - b.ratio))
        .map((one) => `${figureOf(one.figure).what} ${factor(one.ratio)} (${labelOf(one.theirs.contender)})`);
      return `* ${titleOf(group)}, ${title}: ${parts.join(', ')}`;
    });
  });
  return lines.length === 0 ? 'Nowhere, in these results.' : lines.join('\n');
}

function factor(ratio: number): string {
  return ratio >= 1 ? `${number(ratio, 1)} times better` : `${number(1 / ratio, 2)} times worse`;
}

function groupSection(group: Group, comparisons: readonly Comparison[], noise: number): string {
  const { about, work, memory } = SCENARIO_FIGURES[group.scenario];
  return [
    `## ${titleOf(group)}`,
    about,
    figureTable(group, work),
    figureTable(group, memory),
    ...(comparisons.length === 0
      ? []
      : ['How many times better kubering is:', ratioTable(group, comparisons, noise)]),
  ].join('\n\n');
}

function figureTable({ rows }: Group, names: readonly FigureName[]): string {
  const shown = names.filter((name) => rows.some((row) => spreadIn(row, name) !== undefined));
  const cells = rows.map((row) => {
    if (row.problem !== undefined) return [rowTitle(row), `**wrong answer**: ${row.problem}`];
    return [rowTitle(row), ...shown.map((name) => spreadCell(row, name))];
  });
  return table(['', ...shown.map((name) => figureOf(name).title)], cells, 1);
}

function ratioTable(group: Group, comparisons: readonly Comparison[], noise: number): string {
  const names = SCENARIO_FIGURES[group.scenario].compared.filter((name) =>
    comparisons.some(({ figure }) => figure === name),
  );
  const cells = pairsOf(group).map(({ ours, theirs }) => [
    `${rowTitle(ours)}, beside ${rowTitle(theirs)}`,
    ...names.map((name) => {
      const found = comparisons.find(
        (one) => one.figure === name && one.ours === ours && one.theirs === theirs,
      );
      return found === undefined ? '–' : ratioCell(found, noise);
    }),
  ]);
  return table(['', ...names.map((name) => figureOf(name).what)], cells, 1);
}

/** Losses are named, so that nobody has to look for them. */
function ratioCell(comparison: Comparison, noise: number): string {
  const { ratio, low, high } = comparison;
  const verdict = verdictOf(comparison, noise);
  const text = `${number(ratio, 2)} (${number(low, 2)}–${number(high, 2)})`;
  return verdict === 'worse' ? `**${text} worse**` : verdict === 'undecided' ? `${text} undecided` : text;
}

function spreadCell(row: Row, name: FigureName): string {
  const spread = spreadIn(row, name);
  if (spread === undefined) return '–';
  const { digits }: Figure = figureOf(name);
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => number(value, digits));
  return min === max ? median! : `${median} (${min}–${max})`;
}

function skippedList({ skipped }: Results): string {
  const reasons = Map.groupBy(skipped, ({ contender, reason }) => `${labelOf(contender)}: ${reason}`);
  const lines = [...reasons].map(([what, ones]) => {
    const scenarios = [...new Set(ones.map(({ scenario }) => scenario))].join(', ');
    return `* ${what} (${scenarios})`;
  });
  return lines.length === 0 ? 'Nothing was skipped.' : lines.join('\n');
}

/** The scenario and what makes it another one than its neighbour. */
export function titleOf({ scenario, objects, objectKind, rate, transport }: Group): string {
  const paced = rate === undefined ? '' : ` at ${number(rate, 0)} a second`;
  const tls = transport === 'https' ? ', over TLS' : '';
  return `${SCENARIO_FIGURES[scenario].title}${paced}, ${number(objects, 0)} ${OBJECT_LABELS[objectKind]}${tls}`;
}

const OBJECT_LABELS = {
  pod: 'Pods',
  custom: 'custom resources',
  configmap100k: 'ConfigMaps of 100 KB',
} as const;

function rowTitle({ contender, mode }: Row): string {
  return isOurs(contender) || mode !== 'keys'
    ? `${labelOf(contender)}, ${MODE_LABELS[mode]}`
    : labelOf(contender);
}

/** @param left - columns that are text */
export function table(head: readonly string[], rows: readonly (readonly string[])[], left: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const full = rows.map((cells) => [
    ...cells,
    ...Array<string>(Math.max(0, head.length - cells.length)).fill(''),
  ]);
  return [line(head), line(head.map((_, i) => (i < left ? '---' : '---:'))), ...full.map(line)].join('\n');
}

/** With thousands apart, so that 1000000 is not taken for 100000. */
export function number(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
