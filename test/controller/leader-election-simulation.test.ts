import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeaderElector, type Lease, type LeaseClient, type LeaseName } from '../../src/controller/index.ts';
import type { DatedClock } from '../../src/controller/timing.ts';
import { Random } from '../../src/testing/index.ts';
import { FakeApiException, FakeLeases } from './fake-leases.ts';
import { ManualClock, settle } from './manual-clock.ts';

const SEEDS = 100;
const STEPS = 60;
const LEASE = { namespace: 'shop', name: 'operator' };

describe('LeaderElector in a simulation', () => {
  it(`never leads in two processes at once, and leads again when all is well (seeds 1 to ${SEEDS})`, async (t) => {
    let terms = 0;
    for (let seed = 1; seed <= SEEDS; seed++) terms += await simulate(seed);
    t.diagnostic(`${terms} terms`);
    assert.ok(terms > SEEDS * 3, 'leaders change in the simulation');
  });
});

/** Returns how many terms there were. */
async function simulate(seed: number): Promise<number> {
  const world = new World(seed);
  for (let i = 0; i < 3; i++) world.startProcess();
  for (let step = 0; step < STEPS; step++) {
    await world.disturb();
    await world.clock.advance(Math.floor(world.random.fraction() ** 2 * 12_000));
  }

  await world.heal();
  await world.clock.advance(60_000);
  const leaders = world.processes.filter(({ elector }) => elector.isLeader());
  assert.equal(leaders.length, 1, `seed ${seed}: one leads when all is well`);
  assert.equal(world.leases.lease?.spec?.holderIdentity, leaders[0]!.elector.identity, `seed ${seed}`);
  const { terms } = world;
  await world.clock.advance(60_000);
  assert.equal(world.terms, terms, `seed ${seed}: and goes on leading`);
  await world.stop();
  return terms;
}

/** Processes, a network and an API server, with everything that can go wrong between them. */
class World {
  readonly random: Random;
  readonly clock = new ManualClock();
  readonly leases = new FakeLeases();
  processes: Process[] = [];
  terms = 0;
  isWell = false;
  readonly #seed: number;
  readonly #ended: Process[] = [];
  #isOutage = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.random = new Random(seed);
    this.clock.onSettled = () => this.#checkLeaders();
  }

  startProcess(): void {
    this.processes.push(new Process(this, `p${this.processes.length + this.#ended.length}`));
  }

  /** What happens to a request on its way. */
  fate(): 'lost' | 'refused' | 'answer-lost' | 'done' {
    if (this.isWell) return 'done';
    if (this.#isOutage || this.random.chance(0.03)) return this.random.chance(0.5) ? 'lost' : 'refused';
    return this.random.chance(0.05) ? 'answer-lost' : 'done';
  }

  /** Mostly some milliseconds, now and then longer than any limit. */
  latencyMs(): number {
    const { random } = this;
    return this.isWell || random.chance(0.95) ? 1 + random.below(200) : random.below(20_000);
  }

  async disturb(): Promise<void> {
    const { random } = this;
    const process = random.pick(this.processes);
    const dice = random.below(12);
    if (dice === 0) this.#isOutage = !this.#isOutage;
    else if (dice <= 2) process.pause();
    else if (dice <= 4) await process.resume();
    else if (dice === 5) process.epochOffsetMs += random.below(7_200_000) - 3_600_000;
    else if (dice === 6) this.#replace(process, () => process.crash());
    else if (dice === 7) this.#replace(process, () => process.stop());
    this.#checkLeaders();
  }

  async heal(): Promise<void> {
    this.isWell = true;
    for (const process of [...this.processes, ...this.#ended]) await process.resume();
  }

  async stop(): Promise<void> {
    for (const process of this.processes) process.stop();
    await this.clock.advance(60_000);
    assert.equal(this.clock.pending, 0, `seed ${this.#seed}: nothing is left`);
  }

  #replace(process: Process, end: () => void): void {
    end();
    this.processes = this.processes.filter((each) => each !== process);
    this.#ended.push(process);
    this.startProcess();
  }

  /** What is paused or crashed does nothing, whatever it would answer. */
  #checkLeaders(): void {
    const running = [...this.processes, ...this.#ended].filter(({ isPaused }) => !isPaused);
    for (const isLeading of [
      ({ elector }: Process) => elector.isLeader(),
      ({ elector }: Process) => !elector.signal.aborted,
    ]) {
      const leaders = running.filter(isLeading).map(({ elector }) => elector.identity);
      assert.ok(leaders.length <= 1, `seed ${this.#seed}: ${leaders.join(' and ')} lead at once`);
    }
  }
}

/** A candidate with a clock that is not quite right, and that can be paused. */
class Process implements DatedClock, LeaseClient {
  readonly elector: LeaderElector;
  epochOffsetMs: number;
  isPaused = false;
  readonly #world: World;
  /** Seconds of this clock in a second: at most a tenth too many or too few. */
  readonly #rate: number;
  readonly #stop = new AbortController();
  /** What comes when the process goes on. */
  #backlog = new Set<() => void>();
  #isCrashed = false;

  constructor(world: World, identity: string) {
    const { random } = world;
    this.#world = world;
    this.#rate = 0.9 + random.fraction() * 0.2;
    this.epochOffsetMs = random.below(1_000_000_000);
    this.elector = new LeaderElector(this, {
      lease: LEASE,
      identity,
      clock: this,
      random: () => random.fraction(),
      releaseOnCancel: random.chance(0.7),
      onStartedLeading: (signal) => this.#work(signal),
    });
    void this.elector.run({ signal: this.#stop.signal }).then(() => this.#standAgain());
  }

  now(): number {
    return this.#world.clock.now() * this.#rate;
  }

  epochMs(): number {
    return this.epochOffsetMs + this.now();
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const fire = () => this.#deliver(callback);
    const cancel = this.#world.clock.setTimer(delayMs / this.#rate, fire);
    return () => {
      cancel();
      this.#backlog.delete(callback);
    };
  }

  pause(): void {
    this.isPaused = true;
  }

  async resume(): Promise<void> {
    if (this.#isCrashed || !this.isPaused) return;
    this.isPaused = false;
    const late = this.#backlog;
    this.#backlog = new Set();
    // In any order: Node runs timers first, or what came from the network.
    for (const callback of this.#world.random.chance(0.5) ? late : [...late].reverse()) {
      callback();
      await settle();
    }
  }

  crash(): void {
    this.isPaused = true;
    this.#isCrashed = true;
    this.#backlog.clear();
  }

  stop(): void {
    this.#stop.abort();
  }

  get(name: LeaseName): Promise<Lease | undefined> {
    return this.#request(() => this.#world.leases.get(name));
  }

  create(lease: Lease): Promise<Lease> {
    return this.#request(() => this.#world.leases.create(lease));
  }

  update(lease: Lease): Promise<Lease> {
    return this.#request(() => this.#world.leases.update(lease));
  }

  /** The way to the server and back takes time, and the server goes on while this process is paused. */
  #request<T>(send: () => Promise<T>): Promise<T> {
    const { clock } = this.#world;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const fate = this.#world.fate();
    const back = (answer: () => void) => {
      clock.setTimer(this.#world.latencyMs(), () => this.#deliver(answer));
    };
    clock.setTimer(this.#world.latencyMs(), () => {
      if (fate === 'lost') return;
      if (fate === 'refused') back(() => reject(new FakeApiException(503)));
      else if (fate === 'answer-lost') send().catch(() => {});
      else
        send().then(
          (value) => back(() => resolve(value)),
          (error) => back(() => reject(error)),
        );
    });
    return promise;
  }

  #deliver(callback: () => void): void {
    if (this.#isCrashed) return;
    if (this.isPaused) this.#backlog.add(callback);
    else callback();
  }

  /** Ends some time after it was told to. */
  #work(signal: AbortSignal): Promise<void> {
    this.#world.terms++;
    const { promise, resolve } = Promise.withResolvers<void>();
    const lingerMs = this.#world.random.chance(0.5) ? 0 : this.#world.random.below(20_000);
    signal.addEventListener('abort', () => void this.setTimer(lingerMs, resolve));
    return promise;
  }

  #standAgain(): void {
    if (this.#stop.signal.aborted || this.#isCrashed) return;
    void this.elector.run({ signal: this.#stop.signal }).then(() => this.#standAgain());
  }
}
