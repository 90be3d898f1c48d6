import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeResults, ResultsError } from '../../../bench/report/load.ts';
import { pageOf } from '../../../bench/report/page.ts';
import type { ResultLine } from '../../../bench/suite/results.ts';
import { HEADER, resultsOf, sample, samples, someLines } from './fixtures.ts';

describe('benchmark page', () => {
  it('says by which command, on what, with what and how noisy the run was', () => {
    const page = pageOf(resultsOf(someLines()), { pictures: [] });

    for (const part of [
      '    npm run bench -- --save',
      'Made-up CPU, 2 cores, 8 GB',
      'client-go 0.37.2',
      'commit abc1234, seed 1, 3 samples of each',
      '1,500 MB/s of a list and 120,000 events/s',
      'A/A: the same program measured twice is 0.0 % apart',
      'nobody else was at work',
      '[2026-12-01-bench.jsonl](2026-12-01-bench.jsonl)',
    ]) {
      assert.ok(page.includes(part), part);
    }
  });

  it('shows medians with their range, and how many times better kubering is with an interval', () => {
    const page = pageOf(resultsOf(someLines()), { pictures: [] });

    assert.match(page, /\| client-node \| 7,000 \(6,930–7,070\) \|/);
    assert.match(page, /\| kubering, keys read, beside client-node \| 7\.00 \(6\.\d\d–7\.\d\d\) \|/);
  });

  it('leaves warm-ups and the A/A pair out of the tables', () => {
    const page = pageOf(resultsOf(someLines()), { pictures: [] });

    assert.ok(!page.includes('99,999'));
    assert.ok(!page.includes('10,000 Pods'));
  });

  it('compares a way to read objects with the same of client-node, and names what is worse', () => {
    const page = pageOf(resultsOf(someLines()), { pictures: [] });

    assert.match(page, /kubering, all decoded, beside client-node, all decoded \| \*\*0\.83 .* worse\*\*/);
    const losses = page.slice(
      page.indexOf('## Where kubering loses'),
      page.indexOf('## Where kubering wins'),
    );
    assert.match(losses, /Events.*all decoded: .*events a second 1\.20 times worse \(client-node\)/);
    assert.ok(!losses.includes('keys read'));
  });

  it('shows no figure of a contender whose answer is wrong', () => {
    const page = pageOf(resultsOf(someLines()), { pictures: [] });

    assert.ok(page.includes('**3 of 33 answers are wrong**'));
    assert.match(
      page,
      /\| client-go, typed JSON \| \*\*wrong answer\*\*: objects in the cache: 49999 instead of 50000 \|/,
    );
    assert.ok(!page.includes('10,000 (9,900–10,100) | 1,000 | 5,000'));
  });

  it('calls nothing better or worse that is closer than a program is to itself', () => {
    const pair = (['A', 'B'] as const).map((aa, i) =>
      sample('list', 'kubering', { aa, figures: { wallMs: 1000 * (1 + i / 2) } }),
    );
    const lines: ResultLine[] = [
      HEADER,
      ...pair,
      ...samples('list', 'kubering', { figures: { wallMs: 1000 } }),
      ...samples('list', 'client-node', { figures: { wallMs: 1300 } }),
      ...samples('list', 'kube-rs', { figures: { wallMs: 700 } }),
    ];
    const page = pageOf(resultsOf(lines), { pictures: [] });

    assert.match(page, /beside client-node \| 1\.30 \(.*\) undecided \|/);
    assert.match(page, /Where kubering loses\n\nNowhere/);
    assert.match(page, /Where kubering wins\n\nNowhere/);
  });

  it('says when others were at work on the machine', () => {
    const page = pageOf(resultsOf([HEADER, sample('list', 'kubering', { busy: true })]), { pictures: [] });

    assert.match(page, /\*\*others were at work on this machine\*\* at the start of 1 of 1 samples/);
  });

  it('gives each reason why something was skipped once', () => {
    const skip = (scenario: 'list' | 'events') =>
      ({ kind: 'skipped', contender: 'kube-rs', scenario, reason: 'cargo is not installed' }) as const;
    const page = pageOf(resultsOf([HEADER, skip('list'), skip('events')]), { pictures: [] });

    assert.ok(page.includes('* kube-rs: cargo is not installed (list, events)'));
  });

  it('takes what a person wrote into the page, and shows pictures', () => {
    const notes = '## Why\n\nBecause.\n';
    const pictures = [{ file: 'a.svg', title: 'A picture' }];
    const page = pageOf(resultsOf(someLines()), { notes, pictures });

    assert.ok(page.includes('\n\n## Why\n\nBecause.\n\n'));
    assert.ok(page.includes('![A picture](a.svg)'));
  });

  it('is the same for the same results', () => {
    const page = () => pageOf(resultsOf(someLines()), { pictures: [] });

    assert.equal(page(), page());
  });

  it('puts results of several files on one page, but not of several machines or commits', () => {
    const file = (name: string, change: object) => ({
      file: name,
      lines: [{ ...HEADER, ...change }, sample('list', 'kubering')],
    });
    const merged = mergeResults([file('a.jsonl', {}), file('b.jsonl', { command: 'npm run bench:real' })]);

    assert.equal(merged.samples.length, 2);
    assert.match(pageOf(merged, { pictures: [] }), / {4}npm run bench -- --save\n {4}npm run bench:real\n/);
    const elsewhere = file('b.jsonl', { machine: { ...HEADER.machine, cores: 64 } });
    assert.throws(() => mergeResults([file('a.jsonl', {}), elsewhere]), ResultsError);
    assert.throws(
      () => mergeResults([file('a.jsonl', {}), file('b.jsonl', { commit: 'def' })]),
      ResultsError,
    );
  });
});
