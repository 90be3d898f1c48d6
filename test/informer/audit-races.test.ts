/** Audits of which a test says when each answer comes, and what happens before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { AuditReport } from '../../src/informer/audit-types.ts';
import { Auditor } from '../../src/informer/auditor.ts';
import type { InformerCore } from '../../src/informer/core.ts';
import { ErrorReports } from '../../src/informer/error-reports.ts';
import type { Prober } from '../../src/informer/probe-desk.ts';
import type { DeltaConsumer } from '../../src/informer/pump.ts';
import { hashKey } from '../../src/layout/key-hash.ts';
import { RecordKind } from '../../src/layout/ring.ts';
import {
  IdentityRows,
  type ProbedObject,
  type ProbeRequest,
  type ProbeResult,
} from '../../src/worker/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { Harness, SEED, type Thing, thing } from './harness.ts';

describe('audit races', () => {
  it('waits until the cache has come to the version of the list', async () => {
    const { harness, probes, audit } = await setUp([thing('a/x', 1)], '5');
    probes[0]!.identities([thing('a/x', 7)], '8');
    await settle();
    harness.clock.advance(500);
    await settle();
    assert.equal(probes.length, 1, 'nobody is suspected yet');
    harness.modified(thing('a/x', 7));
    harness.bookmark('8');
    harness.work();
    harness.clock.advance(100);

    assert.equal((await audit).outcome, 'clean');
    assert.equal(probes.length, 1);
  });

  it('gives up when the cache never comes there', async () => {
    const { harness, probes, audit } = await setUp([thing('a/x', 1)], '5');
    probes[0]!.identities([thing('a/x', 7)], '8');
    for (let i = 0; i < 1900; i++) {
      await settle();
      harness.clock.advance(100);
    }
    const report = await audit;

    assert.equal(report.outcome, 'failed');
    assert.match(report.error!.message, /audit-behind.*did not come to version 8 within 180 s/);
  });

  it('suspects no object that changed, came or went after the list', async () => {
    const { harness, probes, audit } = await setUp([thing('a/x', 1), thing('a/gone', 2)], '5');
    harness.modified(thing('a/x', 7));
    harness.added(thing('a/new', 8));
    harness.deleted(thing('a/gone', 9));
    harness.work();
    probes[0]!.identities([thing('a/x', 1), thing('a/gone', 2)], '6');
    const report = await audit;

    assert.deepEqual([report.outcome, report.suspects], ['clean', 0]);
    assert.ok(report.differingShards > 0);
  });

  it('takes another object of the same name for a stale one', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([thing('a/x', 3)], '5');
    probes[0]!.identities([thing('a/x', 4, { uid: 'other' })], '5');
    await asked();
    answer([thing('a/x', 4, { uid: 'other' })]);
    const report = await audit;

    assert.deepEqual(report.drifts, [{ key: 'a/x', kind: 'stale' }]);
    assert.equal(harness.informer.lister.ref('a/x')?.uid, 'other');
    assert.equal(harness.live.size, 1, 'every other block was given back');
  });

  it('judges an answer only when all events up to its version are in the cache', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([], '5');
    probes[0]!.identities([thing('a/x', 4)], '5');
    await asked();
    answer([thing('a/x', 9)]);
    assert.equal(harness.informer.lister.size, 0);
    harness.added(thing('a/x', 9));
    harness.work();
    probes[1]!.work();

    assert.deepEqual((await audit).drifts, [], 'the event brought it');
    assert.equal(harness.live.size, 1);
  });

  it('does not bring back what was deleted after it was asked for, known to the cache or not', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([], '5');
    probes[0]!.identities([thing('a/x', 4)], '5');
    await asked();
    harness.deleted(thing('a/x', 6));
    harness.work();
    answer([thing('a/x', 4)]);

    assert.deepEqual((await audit).drifts, []);
    assert.equal(harness.informer.lister.size, 0);
    assert.equal(harness.live.size, 0);
  });

  it('does not take away what came back after it was asked for', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([thing('a/x', 3)], '5');
    probes[0]!.identities([], '5');
    await asked();
    harness.modified(thing('a/x', 8));
    harness.work();
    answer([], [thing('a/x', 7)]);

    assert.deepEqual((await audit).drifts, []);
    assert.equal(harness.informer.lister.get('a/x')?.spec?.value, 8);
  });

  it('does not judge while a relist runs', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([], '5');
    probes[0]!.identities([thing('a/x', 4)], '5');
    await settle();
    harness.beginList();
    harness.work();
    await asked();
    answer([thing('a/x', 4)]);
    assert.equal(harness.informer.lister.size, 0);
    harness.item(thing('a/x', 4));
    harness.endList('6');
    harness.work();
    probes[1]!.work();

    assert.deepEqual((await audit).drifts, []);
  });

  it('counts suspects as unconfirmed of whom no answer came in time, and gives late ones back', async () => {
    const { harness, probes, audit, asked, answer } = await setUp([], '5');
    probes[0]!.identities([thing('a/x', 4), thing('a/y', 4)], '5');
    await asked();
    answer([thing('a/x', 9)], [], 2);
    await settle();
    harness.clock.advance(180_000);
    const report = await audit;

    assert.deepEqual([report.outcome, report.suspects, report.unconfirmed], ['clean', 2, 2]);
    assert.equal(harness.live.size, 0);
    assert.equal(probes[1]!.isClosed, true);
  });
});

describe('a series of audits', () => {
  it('begins after a random part of its period, and goes on with a tenth more or less', async () => {
    const { clock, auditor, reports } = auditorOfNothing([0.5, 0, 1]);
    const series = auditor.series({ every: 60_000 });
    for (const [delayMs, audits] of [
      [29_999, 0],
      [1, 1],
      [53_999, 1],
      [1, 2],
      [65_999, 2],
      [1, 3],
    ] as const) {
      clock.advance(delayMs);
      await settle();
      assert.equal(reports.length, audits);
    }

    assert.equal(series.last, reports[2]);
  });

  for (const [how, end] of [
    ['stop', (series: Disposable & { stop(): void }) => series.stop()],
    ['using', (series: Disposable) => series[Symbol.dispose]()],
    ['its signal', (_: Disposable, controller: AbortController) => controller.abort()],
  ] as const) {
    it(`ends with ${how}, and leaves no timer behind`, async () => {
      const { clock, auditor, reports } = auditorOfNothing([0, 0.5, 0.5]);
      const controller = new AbortController();
      const series = auditor.series({ every: 60_000, signal: controller.signal });
      clock.advance(1);
      await settle();
      end(series, controller);
      clock.advance(600_000);
      await settle();

      assert.equal(reports.length, 1);
      assert.equal(clock.pending, 0);
    });
  }
});

/** A probe that a test answers. */
class FakeProbe {
  readonly request: ProbeRequest;
  readonly answer = Promise.withResolvers<ProbeResult>();
  isClosed = false;
  readonly #consumer: DeltaConsumer;

  constructor(request: ProbeRequest, consumer: DeltaConsumer) {
    this.request = request;
    this.#consumer = consumer;
  }

  identities(things: readonly Thing[], resourceVersion: string): void {
    const rows = new IdentityRows();
    for (const { metadata } of things) {
      const key = `${metadata.namespace}/${metadata.name}`;
      const hash = { lo: 0, hi: 0 };
      const version = { lo: 0, hi: 0 };
      hashKey(key, SEED, hash);
      hashKey(metadata.uid, SEED, version);
      hashKey(metadata.resourceVersion, version, version);
      rows.add(hash.lo | 0, hash.hi | 0, version.lo | 0, version.hi | 0, key);
    }
    const { shards } = this.request as ProbeRequest & { type: 'identities' };
    this.answer.resolve({ type: 'identities', resourceVersion, table: rows.table(shards) });
  }

  /** What the pump does. */
  work(): void {
    while (this.#consumer.hasWork) this.#consumer.work(() => true);
  }

  put(harness: Harness, one: Thing, hasBody: boolean): void {
    this.#consumer.push(RecordKind.repair, harness.block(one, hasBody));
  }

  get objects(): readonly ProbedObject[] {
    return (this.request as ProbeRequest & { type: 'objects' }).objects;
  }
}

/** An informer that has listed, and an audit of it that has asked for identities. */
async function setUp(things: readonly Thing[], resourceVersion: string) {
  const probes: FakeProbe[] = [];
  const prober: Prober = {
    open(_feed, request, consumer) {
      const probe = new FakeProbe(request, consumer);
      probes.push(probe);
      return {
        result: probe.answer.promise,
        close() {
          probe.isClosed = true;
        },
      };
    },
  };
  const harness = new Harness({}, undefined, prober);
  harness.list(things, resourceVersion);
  harness.work();
  const audit = harness.informer.audit() as Promise<AuditReport>;
  await settle();
  return {
    harness,
    audit,
    probes,
    /** Waits for the question for single objects. */
    async asked(): Promise<void> {
      for (let i = 0; i < 20 && probes.length < 2; i++) await settle();
    },
    /** Answers it: with those that are there, and those that are not; `put` is how many the worker says it had. */
    answer(found: readonly Thing[], gone: readonly Thing[] = [], put = found.length + gone.length): void {
      const probe = probes[1]!;
      for (const one of found) probe.put(harness, one, true);
      for (const one of gone) probe.put(harness, one, false);
      probe.answer.resolve({ type: 'objects', put });
      probe.work();
      harness.work();
    },
  };
}

/** An auditor of an informer without feeds, whose audits are over at once. */
function auditorOfNothing(randoms: number[]) {
  const clock = new FakeClock();
  const reports: AuditReport[] = [];
  const auditor = new Auditor<object>({
    core: { feeds: [] } as unknown as InformerCore<object>,
    prober: { open: () => assert.fail('there is nothing to ask for') },
    seed: SEED,
    clock,
    random: () => randoms.shift()!,
    errors: new ErrorReports<object>('things', () => {}),
    synced: async () => {},
    onReport: (report) => reports.push(report),
  });
  return { clock, auditor, reports };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}
