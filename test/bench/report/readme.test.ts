import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadResults, ResultsError } from '../../../bench/report/load.ts';
import { newestResults, readmeSection, withSection } from '../../../bench/report/readme.ts';
import { HEADER, resultsOf, someLines } from './fixtures.ts';

const REPORT = fileURLToPath(new URL('../../../bench/report.ts', import.meta.url));

describe('benchmark table of the README', () => {
  it('is what the newest results say', () => {
    execFileSync(process.execPath, [REPORT, '--readme', '--check'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });

  it('has a column for each contender that gave right answers, with its version', () => {
    const [head, , ...lines] = readmeSection(resultsOf(someLines()), '2026-12-01-bench', []).split('\n');

    assert.equal(head, '| 2 cores, Made-up CPU | kubering 0.1.0 | client-node 2.0.1 |');
    assert.equal(lines[0], '| 50,000 objects, keys read: first list | 1.0 s | 7.0 s |');
  });

  it('shows each way to read objects beside the same of the other, if there is one', () => {
    const section = readmeSection(resultsOf(someLines()), '2026-12-01-bench', []);

    assert.ok(section.includes('| 50,000 objects, all decoded: first list | 3.0 s | 7.0 s |'));
    assert.ok(section.includes('| 50,000 objects, two fields read: events a second | 30,000 | 12,000 |'));
  });

  it('points to the page, and shows charts', () => {
    const section = readmeSection(resultsOf(someLines()), '2026-12-01-bench', ['2026-12-01-bench-list.svg']);

    assert.ok(section.includes('[results/2026-12-01-bench.md](results/2026-12-01-bench.md)'));
    assert.ok(section.endsWith('![](results/2026-12-01-bench-list.svg)'));
  });

  it('says so while nothing is published', () => {
    assert.match(readmeSection(undefined, '', []), /^No run of the whole suite is published yet/);
  });

  it('replaces what is between its marks and nothing else', () => {
    const readme = 'a\n<!-- bench:start -->\nold\n<!-- bench:end -->\nb\n';
    const changed = withSection(readme, 'new');

    assert.equal(changed, 'a\n<!-- bench:start -->\nnew\n<!-- bench:end -->\nb\n');
    assert.equal(withSection(changed, 'new'), changed);
    assert.throws(() => withSection('no marks', 'new'), ResultsError);
  });
});

describe('results files', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubering-report-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, ...lines: (object | string)[]): string {
    const path = join(folder, name);
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
    return path;
  }

  it('are the newest by their own date, if they are of the whole suite', () => {
    write('2026-11-01-bench.jsonl', { ...HEADER, date: '2026-12-02T00:00:00Z' });
    write('2026-12-01-bench.jsonl', HEADER);
    write('2026-12-03-smoke.jsonl', { ...HEADER, name: 'smoke', date: '2026-12-03T00:00:00Z' });
    write('2026-12-04-store.jsonl', { type: 'header', bench: 'store' });
    write('2026-12-05-broken.jsonl', 'no JSON');

    assert.equal(newestResults(folder), '2026-11-01-bench.jsonl');
  });

  it('are refused with a reason when they are of another kind or were cut off', () => {
    const old = write('old.jsonl', { type: 'header', bench: 'smoke' });
    const cut = write('cut.jsonl', HEADER, '{"kind":"sam');

    assert.throws(() => loadResults([old]), {
      name: 'ResultsError',
      message: /does not begin with a header/,
    });
    assert.throws(() => loadResults([cut]), { name: 'ResultsError', message: /line 2 of .*--resume/ });
    assert.throws(() => loadResults([]), { name: 'ResultsError', message: /no results file/ });
  });
});
