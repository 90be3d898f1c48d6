/** The summary as tables: one per comparison, a line per figure. */

import type { Workload } from './contenders/index.ts';
import { FIGURES, type FigureSpec } from './figures.ts';
import { ratioOf, rowOf, type Spread, type SummaryRow } from './summary.ts';

export interface Table {
  readonly title: string;
  /** Cells by column, and these by the title of a figure. */
  readonly lines: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Comparison {
  readonly title: string;
  readonly kubering: Workload;
  readonly clientNode: Workload;
}

const COMPARISONS: readonly Comparison[] = [
  {
    title: 'Handlers read keys only (unequal work: client-node decodes every object, kubering none)',
    kubering: 'keys',
    clientNode: 'keys',
  },
  {
    title: 'Handlers decode every new object (equal work)',
    kubering: 'decode-new',
    clientNode: 'decode',
  },
  {
    title: 'Plain handlers (unequal work: kubering also decodes the object before each update)',
    kubering: 'decode',
    clientNode: 'decode',
  },
  {
    title: 'Plain handlers, kubering without managedFields (unequal work: client-node keeps them)',
    kubering: 'decode-drop',
    clientNode: 'decode',
  },
];

/** How ratios are to be read; printed with the tables. */
export const LEGEND =
  'median (min–max) of the rounds; ratio: kubering ÷ client-node, above 1 is better for events/s and worse for all else';

export function tablesOf(rows: readonly SummaryRow[]): Table[] {
  return COMPARISONS.map(({ title, kubering, clientNode }) => {
    const ours = rowOf(rows, 'kubering', kubering);
    const theirs = rowOf(rows, 'client-node', clientNode);
    const lines: Record<string, Record<string, string>> = {};
    for (const figure of FIGURES) {
      lines[figure.title] = {
        'client-node': cell(theirs?.figures[figure.name], figure.digits),
        kubering: cell(ours?.figures[figure.name], figure.digits),
        ratio: ratioCell(figure, ratioOf(ours, theirs, figure.name)),
      };
    }
    return { title, lines };
  });
}

/** For a file that is read on a web page. */
export function toMarkdown({ title, lines }: Table): string {
  const columns = Object.keys(Object.values(lines)[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `### ${title}`,
    '',
    line(['', ...columns]),
    line(['---', ...columns.map(() => '---:')]),
    ...Object.entries(lines).map(([name, cells]) => line([name, ...columns.map((column) => cells[column]!)])),
  ].join('\n');
}

function cell(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return '–';
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(digits));
  return min === max ? median! : `${median} (${min}–${max})`;
}

/** Losses are named, so that nobody has to look for them. */
function ratioCell({ better }: FigureSpec, ratio: number | undefined): string {
  if (ratio === undefined) return '–';
  const isWorse = (better === 'less' && ratio > 1) || (better === 'more' && ratio < 1);
  return ratio.toFixed(2) + (isWorse ? ' worse' : '');
}
