/**
 * Makes the page and the charts of a run, and the table in README.md.
 *
 *     node bench/report.ts results/<date>-bench.jsonl [more results of the same day]
 *     node bench/report.ts --readme [--check]
 *
 * The page goes beside the first file, as `.md`, and charts as `-<name>.svg`. What a person has to say about it, where
 * kubering loses and why, is taken from `<date>-bench.notes.md`. README.md quotes the newest results.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chartsOf, loadDrawer } from './report/charts.ts';
import { groupsOf } from './report/groups.ts';
import { loadResults, ResultsError } from './report/load.ts';
import { type PagePicture, pageOf } from './report/page.ts';
import { newestResults, readmeSection, withSection } from './report/readme.ts';

const USAGE = `node bench/report.ts FILE…              page and charts beside the first results file
node bench/report.ts --readme           the table in README.md, of the newest results
node bench/report.ts --readme --check   nothing is written; exit code 1 when README.md differs`;

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const README = fileURLToPath(new URL('../README.md', import.meta.url));
/** Charts that README.md shows, too. */
const README_CHARTS = ['list', 'events'];

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { readme: { type: 'boolean' }, check: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    if (values.readme) return readme(values.check === true);
    if (values.help || positionals.length === 0) {
      console.log(USAGE);
      return values.help ? 0 : 2;
    }
    await page(positionals);
    return 0;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (!(error instanceof ResultsError || code === 'ENOENT' || code.startsWith('ERR_PARSE_ARGS')))
      throw error;
    console.error((error as Error).message);
    return 2;
  }
}

async function page(paths: readonly string[]): Promise<void> {
  const results = loadResults(paths);
  const folder = dirname(paths[0]!);
  const name = basename(paths[0]!, '.jsonl');
  const pictures: PagePicture[] = [];
  const draw = await loadDrawer();
  if (draw === undefined) console.error('without charts: npm install --prefix bench brings what draws them');
  for (const chart of draw === undefined ? [] : chartsOf(groupsOf(results.samples))) {
    const file = `${name}-${chart.name}.svg`;
    writeFileSync(join(folder, file), await draw!(chart));
    pictures.push({ file, title: chart.title });
  }
  const notesPath = join(folder, `${name}.notes.md`);
  const notes = existsSync(notesPath) ? readFileSync(notesPath, 'utf8') : undefined;
  const path = join(folder, `${name}.md`);
  writeFileSync(path, pageOf(results, { ...(notes !== undefined && { notes }), pictures }));
  console.log(
    `${path}, ${pictures.length} charts${notes === undefined ? `, without notes (${notesPath})` : ''}`,
  );
}

/** @returns the exit code */
function readme(isCheck: boolean): number {
  const before = readFileSync(README, 'utf8');
  const file = newestResults(RESULTS);
  const name = file === undefined ? '' : basename(file, '.jsonl');
  const results = file === undefined ? undefined : loadResults([join(RESULTS, file)]);
  const charts = README_CHARTS.map((chart) => `${name}-${chart}.svg`);
  const present = readdirSync(RESULTS);
  const after = withSection(
    before,
    readmeSection(
      results,
      name,
      charts.filter((chart) => present.includes(chart)),
    ),
  );
  if (before === after) return 0;
  if (isCheck) {
    console.error('README.md differs from the newest results: node bench/report.ts --readme');
    return 1;
  }
  writeFileSync(README, after);
  return 0;
}
