/**
 * A strict reader of Prometheus' text format 0.0.4: it refuses what a scrape would, and what `promtool check metrics`
 * complains of.
 */
export interface PageFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly PageSample[];
}

export interface PageSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i;
const SUFFIXES = ['_bucket', '_sum', '_count'];

/** @throws Error that says which line is wrong */
export function parsePage(page: string): PageFamily[] {
  if (!page.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { help: string; type: string; samples: PageSample[] }>();
  let current = '';
  for (const line of page.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const [, keyword, name, text] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (!NAME.test(name!)) throw new Error(`no name: ${line}`);
      if (families.has(name!)) throw new Error(`a second time: ${line}`);
      current = name!;
      families.set(current, { help: text!, type: '', samples: [] });
    } else if (keyword === 'TYPE') {
      if (name !== current || families.get(current)!.type !== '')
        throw new Error(`not after its HELP: ${line}`);
      if (!['counter', 'gauge', 'histogram'].includes(text!)) throw new Error(`no type: ${line}`);
      families.get(current)!.type = text!;
    } else {
      const family = families.get(current);
      const sample = parseSample(line);
      if (family === undefined || baseName(sample.name, family.type) !== current) {
        throw new Error(`not below its TYPE: ${line}`);
      }
      family.samples.push(sample);
    }
  }
  const parsed = [...families].map(([name, family]) => ({ name, ...family }));
  for (const family of parsed) check(family);
  return parsed;
}

function parseSample(line: string): PageSample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !NUMBER.test(value!)) throw new Error(`no sample: ${line}`);
  return { name, labels: parseLabels(labels, line), value: toNumber(value!) };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  while (end < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined) throw new Error(`no label from ${end} on: ${line}`);
    if (name in labels) throw new Error(`the label ${name} twice: ${line}`);
    labels[name] = value!.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));
    end = LABEL.lastIndex;
  }
  return labels;
}

function toNumber(text: string): number {
  return /inf$/i.test(text) ? Number(text.replace(/inf$/i, 'Infinity')) : Number(text);
}

function baseName(name: string, type: string): string {
  const suffix = SUFFIXES.find((one) => name.endsWith(one));
  return type === 'histogram' && suffix !== undefined ? name.slice(0, -suffix.length) : name;
}

function check({ name, type, samples }: PageFamily): void {
  if (type === '') throw new Error(`${name} has no TYPE`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is named like another type`);
  const seen = new Set<string>();
  for (const sample of samples) {
    const id = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(id)) throw new Error(`twice: ${id}`);
    seen.add(id);
    if (type === 'counter' && !(sample.value >= 0)) throw new Error(`a counter below 0: ${id}`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Each series has ascending buckets that never fall, and ends with +Inf, which is its count. */
function checkHistogram(name: string, samples: readonly PageSample[]): void {
  const bySeries = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const [series, own] of bySeries) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => toNumber(labels.le!));
    const counts = buckets.map(({ value }) => value);
    const count = own.find((sample) => sample.name === `${name}_count`)?.value;
    const hasSum = own.some((sample) => sample.name === `${name}_sum`);
    const isAscending = bounds.every((bound, i) => i === 0 || bound > bounds[i - 1]!);
    const neverFalls = counts.every((value, i) => i === 0 || value >= counts[i - 1]!);
    const isComplete = bounds.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === count && hasSum;
    if (!isAscending || !neverFalls || !isComplete) throw new Error(`no histogram: ${name} ${series}`);
  }
}
