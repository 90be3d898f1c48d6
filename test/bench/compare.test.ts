import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { judge } from '../../bench/compare/judge.ts';
import { readOptions } from '../../bench/compare/options.ts';
import { type Sampler, takeSamples } from '../../bench/compare/run.ts';
import { makeVersions, type Version } from '../../bench/compare/versions.ts';
import { randomFrom } from '../../bench/statistics.ts';
import type { SampleFigures } from '../../bench/suite/results.ts';
import { tasksOf } from '../../bench/suite/scenarios.ts';

const SEED = 1;
const BEFORE: Version = { name: 'before', folder: '/before' };
const AFTER: Version = { name: 'after', folder: '/after' };
const TASKS = tasksOf('list', {
  objects: [10],
  events: 2,
  objectKind: 'pod',
  transport: 'http',
  seed: SEED,
  isFull: false,
});

describe('comparison of two versions', () => {
  it('calls what takes less time faster, and what takes more slower, and says how sure that is', () => {
    const [faster] = judge(noisy({ wallMs: 100 }, 1), noisy({ wallMs: 80 }, 2), ['wallMs'], SEED);
    const [slower] = judge(noisy({ wallMs: 80 }, 1), noisy({ wallMs: 100 }, 2), ['wallMs'], SEED);

    assert.equal(faster!.verdict, 'faster');
    assert.equal(slower!.verdict, 'slower');
    assert.ok(faster!.confidence > 0.98 && faster!.confidence < 1, `${faster!.confidence}`);
    assert.ok(faster!.low > 0.7 && faster!.high < 0.9, `${faster!.low}–${faster!.high}`);
  });

  it('calls more events a second faster', () => {
    const name = ['eventsPerSecond'] as const;
    const [more] = judge(
      noisy({ eventsPerSecond: 1000 }, 1),
      noisy({ eventsPerSecond: 2000 }, 2),
      name,
      SEED,
    );

    assert.equal(more!.verdict, 'faster');
  });

  it('calls memory smaller or larger', () => {
    const [more] = judge(noisy({ rssMb: 100 }, 1), noisy({ rssMb: 200 }, 2), ['rssMb'], SEED);

    assert.equal(more!.verdict, 'larger');
  });

  it('is undecided about two versions that do not differ', () => {
    const [same] = judge(noisy({ wallMs: 100 }, 3), noisy({ wallMs: 100 }, 4), ['wallMs'], SEED);

    assert.equal(same!.verdict, 'undecided');
    assert.ok(same!.confidence < 0.95);
  });

  it('says nothing of a figure that one of them does not have, or has none of', () => {
    const [some, none] = [noisy({ mainCpuMs: 4, heapMb: 1 }, 2), noisy({ mainCpuMs: 0 }, 1)];

    assert.deepEqual(judge(none, some, ['mainCpuMs', 'heapMb'], SEED), []);
  });

  it('has both take turns, with a warm-up that does not count, and neither always first', async () => {
    const order: string[] = [];
    const sampler: Sampler = async ({ name }) => {
      order.push(name);
      return { figures: figuresOf({ wallMs: order.length }), problems: [] };
    };
    const [result] = await takeSamples(TASKS, { before: BEFORE, after: AFTER }, 2, sampler, { onStep() {} });

    assert.deepEqual(order, ['after', 'before', 'before', 'after', 'after', 'before']);
    assert.deepEqual(
      result!.before.map(({ wallMs }) => wallMs),
      [3, 6],
    );
    assert.deepEqual(
      result!.after.map(({ wallMs }) => wallMs),
      [4, 5],
    );
  });

  it('ends when a version gives a wrong answer', async () => {
    const sampler: Sampler = async () => ({ figures: figuresOf({}), problems: ['a key is missing'] });

    await assert.rejects(takeSamples(TASKS, { before: BEFORE, after: AFTER }, 2, sampler, { onStep() {} }), {
      code: 'ERR_BENCH_WRONG_ANSWER',
      message: 'after, list: a key is missing',
    });
  });
});

describe('options of the comparison', () => {
  it('name a commit, and have defaults', () => {
    const options = readOptions(['HEAD~3', '--scenario', 'list,mixed', '--samples', '9'])!;

    assert.equal(options.commit, 'HEAD~3');
    assert.deepEqual(options.scenarios, ['list', 'mixed']);
    assert.equal(options.samples, 9);
    assert.equal(options.objects, 10_000);
    assert.equal(readOptions(['--help']), undefined);
  });

  for (const [args, message] of [
    [[], /name the one commit/],
    [['a', 'b'], /name the one commit/],
    [['HEAD', '--scenario', 'real'], /--scenario is one of list, .*, not 'real'/],
    [['HEAD', '--samples', '4'], /--samples is a whole number from 5 on, not '4'/],
    [['HEAD', '--objects', '1e9'], /--objects is a whole number from 1 to 250000/],
    [['HEAD', '--mode', 'x'], /--mode is one of/],
    [['HEAD', '--unknown'], /--unknown/],
  ] as const) {
    it(`are refused with a reason: ${args.join(' ') || 'none'}`, () => {
      assert.throws(() => readOptions(args), { code: 'ERR_BENCH_OPTIONS', message });
    });
  }
});

describe('versions that are compared', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'kubering-versions-'));
    for (const folder of ['src', 'scripts', 'bench/node_modules', 'node_modules']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    for (const name of ['package.json', 'package-lock.json']) writeFileSync(join(root, name), '{}');
    writeFileSync(join(root, 'scripts', 'some.ts'), '');
    writeFileSync(join(root, 'bench', 'run.ts'), 'of the checkout');
    writeFileSync(join(root, 'bench', 'node_modules', 'large'), '');
    writeFileSync(join(root, 'src', 'index.ts'), 'committed');
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...identity, 'commit', '-qm', 'one'],
    ]) {
      execFileSync('git', args, { cwd: root, stdio: 'ignore' });
    }
    writeFileSync(join(root, 'src', 'index.ts'), 'changed');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('are the commit and the checkout as it is, under the same benchmark and packages', () => {
    const versions = makeVersions(root, 'HEAD');
    const { before: committed, after: changed } = versions;
    try {
      assert.equal(readFileSync(join(committed.folder, 'src/index.ts'), 'utf8'), 'committed');
      assert.equal(readFileSync(join(changed.folder, 'src/index.ts'), 'utf8'), 'changed');
      for (const { folder } of [committed, changed]) {
        assert.equal(readFileSync(join(folder, 'bench/run.ts'), 'utf8'), 'of the checkout');
        assert.ok(existsSync(join(folder, 'node_modules')));
        assert.ok(!existsSync(join(folder, 'bench/node_modules')));
      }
      assert.deepEqual(versions.warnings, []);
    } finally {
      versions.remove();
    }
    assert.ok(!existsSync(committed.folder) && !existsSync(changed.folder));
    assert.ok(existsSync(join(root, 'node_modules')));
  });

  it('come with a warning when the commit asks for other packages', () => {
    writeFileSync(join(root, 'package.json'), '{"dependencies":{"undici":"1"}}');
    const versions = makeVersions(root, 'HEAD');
    versions.remove();

    assert.match(versions.warnings[0]!, /asks for other packages/);
  });

  for (const commit of ['no-such-commit', '--output=x', 'HEAD~99']) {
    it(`are refused for '${commit}'`, () => {
      assert.throws(() => makeVersions(root, commit), { code: 'ERR_BENCH_VERSION', message: /is no commit/ });
    });
  }
});

/** Seven samples of each figure, up to 5 % off. */
function noisy(figures: Partial<SampleFigures>, seed: number): SampleFigures[] {
  const random = randomFrom(seed);
  return Array.from({ length: 7 }, () => {
    const entries = Object.entries(figures).map(([name, value]) => [
      name,
      (value as number) * (0.95 + random() / 10),
    ]);
    return figuresOf(Object.fromEntries(entries) as Partial<SampleFigures>);
  });
}

function figuresOf(figures: Partial<SampleFigures>): SampleFigures {
  return { wallMs: 1, cpuMs: 1, rssMb: 1, rssPeakMb: 1, calls: 1, serverCpuMs: 1, ...figures };
}
