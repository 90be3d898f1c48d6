import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTENDERS } from '../../bench/contenders/index.ts';
import { BenchServerProcess, type ChurnOrder, resourceOf } from '../../bench/server/index.ts';
import type { Contender } from '../../bench/suite/contender.ts';
import { ContenderProcess } from '../../bench/suite/contender-process.ts';
import type { ContenderAnswer, ContenderConfig, Mode, ScenarioName } from '../../bench/suite/protocol.ts';

const OBJECTS = 200;
const EVENTS = 400;
const SEED = 1;
/** Far more than a loaded machine needs. */
const LIMIT_MS = 50_000;
const POLL_MS = 5;

describe('bench contenders', () => {
  let pods: BenchServerProcess;
  before(async () => {
    pods = await BenchServerProcess.start({ kind: 'pod', objects: OBJECTS, spare: EVENTS, seed: SEED });
  });
  after(() => pods.stop());

  for (const contender of CONTENDERS.filter(({ scenarios }) => scenarios.includes('events'))) {
    const skip = reasonToSkip(contender);
    it(`${contender.name} lists and watches all, and answers as the server`, { skip }, async () => {
      const beginMs = performance.timeOrigin + performance.now();
      const { truth, listed, watched, answer, times, expected } = await run(contender, pods, {
        churn: { events: EVENTS, mix: 'updates' },
        isTimed: true,
      });

      const objects = expected.objectsBefore;
      assert.equal(listed.calls, objects);
      assert.equal(watched.calls, EVENTS);
      assert.deepEqual(answer, {
        ...truth,
        ...{ adds: objects, updates: EVENTS, deletes: 0, outOfOrder: 0, merged: 0, errors: [] },
      });
      const first = expected.lastVersion - EVENTS + 1;
      assert.deepEqual(
        times.map(([version]) => version),
        Array.from({ length: EVENTS }, (_, i) => first + i),
      );
      // An hour of tolerance: the point is that these are ms since 1970.
      assert.ok(times.every(([, ms]) => Math.abs(ms - beginMs) < 3_600_000));
    });
  }

  for (const contender of onePerLibrary('mixed')) {
    const skip = reasonToSkip(contender);
    it(`${contender.name} keeps indexes right through creations and deletions`, { skip }, async () => {
      const { truth, answer, expected } = await run(contender, pods, {
        churn: { events: EVENTS, mix: 'mixed' },
        mode: 'two-fields',
        asks: { indexes: true, lookupsPerSecond: 1000 },
      });

      assert.equal(answer.objects, truth.objects);
      assert.equal(answer.hash, truth.hash);
      // Not every library tells adds and updates apart.
      assert.equal(answer.adds + answer.updates, expected.objectsBefore + expected.adds + expected.updates);
      assert.equal(answer.deletes, expected.deletes);
      assert.deepEqual(answer.errors, []);
    });
  }

  for (const contender of onePerLibrary('many')) {
    const skip = reasonToSkip(contender);
    it(`${contender.name} watches several custom resources at once`, { skip }, async () => {
      const server = await BenchServerProcess.start({
        ...{ kind: 'custom', objects: OBJECTS, resources: RESOURCES, seed: SEED },
      });
      try {
        const churn: ChurnOrder = { events: EVENTS, mix: 'updates' };
        const { truth, answer } = await run(contender, server, {
          churn,
          resources: RESOURCES,
          mode: 'decode-all',
        });

        assert.deepEqual(answer, {
          ...truth,
          ...{ adds: OBJECTS, updates: EVENTS, deletes: 0, outOfOrder: 0, merged: 0, errors: [] },
        });
      } finally {
        await server.stop();
      }
    });
  }

  it('have names of their own, modes and scenarios', () => {
    assert.equal(new Set(CONTENDERS.map(({ name }) => name)).size, CONTENDERS.length);
    assert.equal(CONTENDERS[0]?.name, 'kubering');
    for (const { modes, scenarios } of CONTENDERS) assert.ok(modes.length > 0 && scenarios.length > 0);
  });
});

const RESOURCES = 4;

/** Those that differ from another one only in options, whose answer is another test's, are left out. */
function onePerLibrary(scenario: ScenarioName): Contender[] {
  return CONTENDERS.filter(
    ({ name, scenarios }) => !name.startsWith('kubering-') && scenarios.includes(scenario),
  );
}

/** Compiled contenders, and those with dependencies of their own, are tested where they were built already. */
function reasonToSkip(contender: Contender): string | false {
  const { file, args } = contender.command();
  const isBuilt = [file, ...args].filter((path) => isAbsolute(path)).every((path) => existsSync(path));
  return isBuilt ? false : 'it is not built here: npm run bench does that';
}

interface RunOptions {
  readonly churn: ChurnOrder;
  readonly mode?: Mode;
  readonly resources?: number;
  readonly asks?: Pick<ContenderConfig, 'indexes' | 'lookupsPerSecond'>;
  readonly isTimed?: boolean;
}

async function run(contender: Contender, server: BenchServerProcess, options: RunOptions) {
  const { churn, mode = 'keys', resources = 1, asks = { indexes: false }, isTimed = false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'kubering-test-'));
  const receiveTimesFile = join(folder, 'received');
  const { objects: objectsBefore } = await server.truth();
  const all = Array.from({ length: resources }, (_, i) => resourceOf(resources > 1 ? 'custom' : 'pod', i));
  const process = new ContenderProcess(contender.command(), {
    server: server.url,
    token: 'token',
    resource: all[0]!,
    ...(resources > 1 && { resources: all }),
    mode,
    objects: objectsBefore,
    ...asks,
    ...(isTimed && { receiveTimesFile }),
  });
  try {
    const listed = await process.ask({ cmd: 'start' }, 'synced', LIMIT_MS);
    while ((await server.usage()).openWatches < resources) await sleep(POLL_MS);
    await process.ask({ cmd: 'arm' }, 'armed', LIMIT_MS);
    const { lastVersion, adds, updates, deletes } = await server.churn(churn);
    const calls = adds + updates + deletes;
    const watched = await process.ask(
      { cmd: 'await', rv: String(lastVersion), calls },
      'caught-up',
      LIMIT_MS,
    );
    const report = await process.ask({ cmd: 'report' }, 'report', LIMIT_MS);
    const answer: ContenderAnswer = report.answer;
    const { objects, hash } = await server.truth();
    const expected = { objectsBefore, adds, updates, deletes, lastVersion };
    const times = isTimed ? pairsIn(receiveTimesFile) : [];
    return { listed, watched, answer, times, truth: { objects, hash }, expected };
  } finally {
    await process.end();
    rmSync(folder, { recursive: true, force: true });
    while ((await server.usage()).openWatches > 0) await sleep(POLL_MS);
  }
}

function pairsIn(path: string): [version: number, ms: number][] {
  const numbers = new Float64Array(new Uint8Array(readFileSync(path)).buffer);
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!]);
}
