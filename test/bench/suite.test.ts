import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Contender } from '../../bench/suite/contender.ts';
import { SCENARIOS } from '../../bench/suite/protocol.ts';
import type { HeaderLine, ResultLine, SampleLine, SkippedLine } from '../../bench/suite/results.ts';
import { type RunTools, runSuite } from '../../bench/suite/run.ts';
import { missingContender, optionsOf, simpleContender } from './suite/fixtures.ts';

const SMALL = ['--objects', '60', '--samples', '1', '--events', '100'];
/** Without the pair that differs in nothing: fewer samples. */
const EVENTS = [...SMALL, '--scenario', 'events'];

describe('bench suite', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubering-suite-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('takes a right answer in every scenario, and keeps all of it on file', async () => {
    const out = join(folder, 'all.jsonl');
    const scenarios = SCENARIOS.filter((name) => name !== 'real');
    const { lookAround } = QUICK as Pick<RunTools, 'lookAround'>;
    const lines = await run([...SMALL, '--out', out], [simpleContender('kubering')], { lookAround });

    const samples = samplesOf(lines);
    assert.deepEqual(
      samples.flatMap(({ answer }) => answer.problems),
      [],
    );
    assert.deepEqual(new Set(samples.map(({ scenario }) => scenario)), new Set(scenarios));
    assert.deepEqual(linesIn(out), lines);
    const { bareReader, versions, seed } = lines[0] as HeaderLine;
    assert.ok(bareReader.listMBps > 0 && bareReader.eventsPerSecond > 0);
    assert.equal(versions.kubering, '1.0.0');
    assert.equal(seed, optionsOf().selection.seed);
    const { latencyMs, eventsPerSecond } = samples.find(({ rate }) => rate === 1000)!.figures!;
    assert.ok(latencyMs!.p50 > 0 && latencyMs!.max >= latencyMs!.p99 && eventsPerSecond! > 0);
  });

  it('runs over TLS', async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
    const contender = { ...simpleContender('kubering'), modes: ['keys'] as const };
    const start = contender.command();
    const lines = await run(
      [...EVENTS, '--tls', '--out', join(folder, 'tls.jsonl')],
      [{ ...contender, command: () => ({ ...start, env }) }],
    );

    assert.ok(samplesOf(lines).every(({ transport, answer }) => transport === 'https' && answer.right));
  });

  describe('with contenders that fail', () => {
    let lines: readonly ResultLine[];
    before(async () => {
      lines = await run(
        [...EVENTS, '--out', join(folder, 'failures.jsonl')],
        [
          simpleContender('loses', 'loses'),
          simpleContender('ends', 'ends'),
          simpleContender('chatters', 'chatters'),
          missingContender('kube-rs', 'cargo is not installed'),
          simpleContender('other'),
        ],
      );
    });

    it('says who is skipped and why', () => {
      const skipped = lines.filter((line): line is SkippedLine => line.kind === 'skipped');
      assert.deepEqual(
        skipped.map(({ contender, reason }) => `${contender}: ${reason}`),
        [
          'kube-rs: cargo is not installed',
          'ends: it did not finish its warm-up',
          'chatters: it did not finish its warm-up',
        ],
      );
    });

    for (const [name, problem] of [
      // Its cache may be whole again when the object that it lost was updated.
      ['loses', /adds and updates: \d+ instead of/],
      ['ends', /did not finish: its process ended with 1; it wrote: .*out of luck/s],
      ['chatters', /did not finish: it wrote a line that is no reply: hello/],
    ] as const) {
      it(`marks what one that ${name} did, and goes on with the others`, () => {
        const samples = samplesOf(lines).filter(({ contender }) => contender === name);
        assert.ok(samples.length > 0);
        for (const { answer } of samples) {
          assert.equal(answer.right, false);
          assert.match(answer.problems.join('\n'), problem);
        }
        assert.ok(samplesOf(lines).some(({ contender, answer }) => contender === 'other' && answer.right));
      });
    }
  });

  describe('that was interrupted', () => {
    let out: string;
    let whole: readonly ResultLine[];
    before(async () => {
      out = join(folder, 'interrupted.jsonl');
      whole = await run([...EVENTS, '--out', out], [simpleContender('kubering')]);
    });

    it('goes on behind the last sample that is whole', async () => {
      const text = readFileSync(out, 'utf8').split('\n');
      writeFileSync(out, `${text.slice(0, 3).join('\n')}\n${text[3]!.slice(0, 40)}`);
      const lines = await run(['--out', out, '--resume'], [simpleContender('kubering')]);

      assert.deepEqual(lines.slice(0, 3), whole.slice(0, 3));
      assert.deepEqual(samplesOf(lines).map(cellOf), samplesOf(whole).map(cellOf));
      assert.deepEqual(linesIn(out), lines);
    });

    it('has nothing left to do when it was whole', async () => {
      const lines = await run(['--out', out, '--resume'], [simpleContender('kubering')]);
      assert.equal(samplesOf(lines).length, samplesOf(whole).length);
    });

    it('is not gone on with when something else is asked for', async () => {
      await assert.rejects(run(['--out', out, '--resume', '--samples', '5'], []), {
        code: 'ERR_BENCH_OPTIONS',
        message: /a resumed run has its options from its file: leave out --samples/,
      });
    });

    it('is not gone on with at another commit', async () => {
      const [header, ...rest] = linesIn(out) as [HeaderLine, ...ResultLine[]];
      const other = join(folder, 'other-commit.jsonl');
      const lines = [{ ...header, commit: 'abc' }, ...rest];
      writeFileSync(other, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await assert.rejects(run(['--out', other, '--resume'], []), /begun at commit abc/);
    });

    it('is not overwritten by the next', async () => {
      await assert.rejects(run([...EVENTS, '--out', out], [simpleContender('kubering')]), {
        code: 'ERR_BENCH_OPTIONS',
        message: /exists: go on with --resume/,
      });
    });
  });

  it('refuses to go on with a run that is not there', async () => {
    await assert.rejects(run(['--out', join(folder, 'nothing.jsonl'), '--resume'], []), /does not exist/);
  });
});

function run(
  args: readonly string[],
  contenders: readonly Contender[],
  tools: Partial<RunTools> = QUICK,
): Promise<readonly ResultLine[]> {
  const io = { onLine: () => {}, say: () => {}, isTerminal: false, name: 'test', command: 'test' };
  return runSuite(optionsOf(...args), contenders, io, tools);
}

const QUICK: Partial<RunTools> = {
  lookAround: async () => ({ load: 0, busy: false }),
  readBarely: async () => ({ listMBps: 1, eventsPerSecond: 1 }),
};

function linesIn(path: string): ResultLine[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ResultLine);
}

function samplesOf(lines: readonly ResultLine[]): SampleLine[] {
  return lines.filter((line) => line.kind === 'sample');
}

function cellOf({ scenario, contender, mode, objects, aa, sample, warmup }: SampleLine): object {
  return { scenario, contender, mode, objects, aa, sample, warmup };
}
