/** The steps of a soak: rounds of changes and trouble, each ending in peace and a comparison. */
import { type SharedInformer, SharedInformerFactory } from '../../src/index.ts';
import { FakeApiServer, Random, type RemoteFakeApiServer } from '../../src/testing/index.ts';
import { compareWithServer } from '../demo/compare.ts';
import { makeTrouble, pause } from './faults.ts';
import { openFiles, type Sample, sampleOf } from './sample.ts';
import { type Comparison, judge, type Verdict } from './verdict.ts';

export interface SoakOptions {
  readonly minutes: number;
  /** Changes per second. */
  readonly rate: number;
  readonly pods: number;
  readonly seed: number;
}

const SAMPLE_MS = 5_000;
const ROUND_MS = 60_000;
/** A round's last part is peace, in which the cache catches up. */
const PEACE_MS = 15_000;
/** Longest wait for the cache after a round: the longest backoff, and once more. */
const CATCH_UP_MS = 90_000;
/** A watch without a sound is replaced after this; three bookmarks are missed by then. */
const WATCH_IDLE_MS = 6_000;
const BOOKMARK_MS = 2_000;

const SERVER_NICENESS = 10;
const MIX = { create: 1, update: 8, delete: 1 };
const PODS = { group: '', version: 'v1', resource: 'pods' };

/**
 * @param report - gets each sample and comparison, and the summary
 * @param say - for people
 */
export async function runSoak(
  options: SoakOptions,
  report: (line: object) => void,
  say: (text: string) => void,
): Promise<Verdict> {
  const { seed, pods } = options;
  const server = await FakeApiServer.spawn({
    in: 'process',
    seed: seed + 1,
    niceness: SERVER_NICENESS,
    bookmarkIntervalMs: BOOKMARK_MS,
  });
  const filesBefore = openFiles();
  try {
    await server.seedPods(pods);
    const soak = new Soak(options, server, report, say);
    await soak.run();
    const filesLeft = openFiles() - filesBefore;
    const verdict = judge(soak.samples, soak.comparisons);
    const problems = [...verdict.problems];
    if (filesLeft > 0) problems.push(`${filesLeft} file descriptors are open after the factory stopped`);
    report({ type: 'summary', ...verdict, problems, ...soak.totals });
    return { ...verdict, problems };
  } finally {
    await server.stop();
  }
}

class Soak {
  readonly samples: Sample[] = [];
  readonly comparisons: Comparison[] = [];
  readonly totals = { troubles: 0, errors: 0, drifts: 0, relists: 0, rewatches: 0 };

  readonly #options: SoakOptions;
  readonly #server: RemoteFakeApiServer;
  readonly #factory: SharedInformerFactory;
  readonly #informer: SharedInformer;
  readonly #random: Random;
  readonly #report: (line: object) => void;
  readonly #say: (text: string) => void;
  readonly #startMs = performance.now();

  constructor(
    options: SoakOptions,
    server: RemoteFakeApiServer,
    report: (line: object) => void,
    say: (text: string) => void,
  ) {
    this.#options = options;
    this.#server = server;
    this.#report = report;
    this.#say = say;
    this.#random = new Random(options.seed);
    this.#factory = new SharedInformerFactory(server.kubeConfig());
    this.#informer = this.#factory.informerFor(PODS, {
      indexers: { byNode: 'spec.nodeName' },
      columns: { phase: 'status.phase' },
      watchIdleMs: WATCH_IDLE_MS,
      decodeCacheBytes: 4 * 1024 * 1024,
    });
    this.#informer.on('error', () => this.totals.errors++);
  }

  async run(): Promise<void> {
    const end = new AbortController();
    const sampling = this.#sample(end.signal);
    try {
      await this.#factory.start();
      const rounds = Math.max(1, Math.round((this.#options.minutes * 60_000) / ROUND_MS));
      for (let round = 0; round < rounds; round++) await this.#round(round, rounds);
      const { relists, rewatches } = this.#informer.health();
      Object.assign(this.totals, { relists, rewatches });
    } finally {
      end.abort();
      await sampling;
      await this.#factory.stop();
    }
  }

  async #round(round: number, rounds: number): Promise<void> {
    const { rate, seed, minutes } = this.#options;
    const roundMs = Math.min(ROUND_MS, minutes * 60_000);
    const peace = new AbortController();
    const trouble = makeTrouble(this.#server, this.#random, peace.signal, () => this.totals.troubles++);
    // Handlers come and go, as those of a program that is used: one is quick, one slow, one throws.
    const registrations = [
      this.#informer.addEventHandler({ onEvent: ({ key }) => void key }),
      this.#informer.addEventHandler({ onUpdate: () => pause(1, peace.signal) }, { backlogLimit: 200 }),
      this.#informer.addEventHandler({
        onDelete() {
          throw new Error('a handler that fails');
        },
      }),
    ];
    const seconds = Math.max(1, (roundMs - PEACE_MS) / 1000);
    await this.#server.churn({ resource: 'pods', rate, seconds, mix: MIX, seed: seed + round });
    peace.abort();
    await trouble;
    await this.#compare(round, rounds);
    await Promise.all(registrations.map((registration) => registration.remove()));
  }

  /** The cache against the server, when nothing changes any more. Lost events are an audit's to find. */
  async #compare(round: number, rounds: number): Promise<void> {
    await this.#caughtUp(String(await this.#server.resourceVersion()));
    const audit = await this.#informer.audit({ pauseMs: 0 });
    this.totals.drifts += audit.missing + audit.stale + audit.leftover;
    const comparison = await compareWithServer(this.#informer, this.#server.pages('pods'));
    this.comparisons.push(comparison);
    this.#report({ type: 'comparison', round, audit: audit.outcome, ...comparison });
    const last = this.samples.at(-1);
    this.#say(
      `round ${round + 1} of ${rounds}: ${this.#informer.lister.size} Pods, ${comparison.missing} missing, ` +
        `${comparison.extra} too many, ${comparison.different} different; audit ${audit.outcome}; ` +
        `RSS ${last?.rssMb ?? '?'} MB, heap ${last?.heapMb ?? '?'} MB, shared ${last?.sharedMb ?? '?'} MB`,
    );
  }

  async #caughtUp(resourceVersion: string): Promise<void> {
    const signal = AbortSignal.timeout(CATCH_UP_MS);
    try {
      await this.#informer.atLeast(resourceVersion, { signal });
    } catch (cause) {
      const at = this.#informer.lister.resourceVersion;
      throw new Error(`the cache is at ${at} and did not reach the server's ${resourceVersion}`, { cause });
    }
  }

  async #sample(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(SAMPLE_MS, signal);
      if (signal.aborted) return;
      const { openSockets } = await this.#server.stats();
      const seconds = (performance.now() - this.#startMs) / 1000;
      const sample = sampleOf(seconds, this.#factory, this.#informer, openSockets);
      this.samples.push(sample);
      this.#report({ type: 'sample', ...sample });
    }
  }
}
