/** A whole simulation: servers, workers and a home thread, put together from the product's own parts. */
import { Hosts } from '../../src/informer/hosts.ts';
import { Members } from '../../src/informer/members.ts';
import { Pump } from '../../src/informer/pump.ts';
import { SegmentTable } from '../../src/store/index.ts';
import { Random } from '../../src/testing/random.ts';
import type { ConnectionInfo } from '../../src/transport/index.ts';
import { Accounts } from './accounts.ts';
import { Cluster } from './cluster.ts';
import { Follower } from './follower.ts';
import type { HandlerDraw, InformerDraw, Plan } from './plan.ts';
import { Subject } from './subject.ts';
import { VirtualThreads } from './threads.ts';
import { Trace } from './trace.ts';
import { VirtualLoop, VirtualThread } from './virtual-loop.ts';

const HASH_SEED = { lo: 7, hi: 8 };
/** Far more than a seed's objects need. */
const ARENA_LIMIT_BYTES = 256 * 1024 * 1024;

export class World {
  readonly plan: Plan;
  readonly loop: VirtualLoop;
  readonly home = new VirtualThread('home');
  readonly trace: Trace;
  readonly cluster: Cluster;
  /** Latencies, and where bytes are cut. */
  readonly network: Random;
  /** What handlers do. */
  readonly behaviour: Random;
  readonly accounts = new Accounts();
  readonly threads: VirtualThreads;
  readonly pump: Pump;
  readonly hosts: Hosts;
  readonly members: Members;
  /** Informers, by their number in the plan. */
  readonly subjects: Subject[] = [];
  /** When reflectors were started, also those of a worker that replaces another one. */
  readonly starts: number[] = [];
  /** What went wrong first, besides what is thrown. */
  failure: Error | undefined;
  /** No faults any more, and handlers are quick. */
  isWell = false;
  /** Credentials in use at home, and how often asking for new ones gives nothing. */
  #token = 1;
  failingRefreshes = 0;
  #nextFollower = 1;
  /** Also those that have stopped. */
  readonly #all: Subject[] = [];
  #stopping = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    const chance = new Random(plan.seed + 1e9);
    this.network = new Random(plan.seed + 2e9);
    this.behaviour = new Random(plan.seed + 3e9);
    this.loop = new VirtualLoop(() => chance.fraction());
    this.trace = new Trace(() => this.loop.nowMs);
    this.cluster = new Cluster(this.loop, new Random(plan.seed + 4e9), plan.style, this.trace);
    this.threads = new VirtualThreads(this, this.accounts);
    const segments = new SegmentTable();
    const now = () => this.loop.look();
    this.pump = new Pump({ segments, now, cpuMs: () => 0 });
    this.members = new Members({
      seed: HASH_SEED,
      segments,
      pump: this.pump,
      hosts: () => this.hosts,
      clusterOf: () => 0,
      clock: { now, setTimer: (delayMs, callback) => this.loop.later(delayMs, callback) },
      startJitterMs: 0,
    });
    this.hosts = new Hosts({
      workers: plan.workers,
      ringRecords: plan.ringRecords,
      arenaLimitBytes: ARENA_LIMIT_BYTES,
      tcpKeepAliveMs: undefined,
      heapLimitBytes: 0,
      entry: undefined,
      segments,
      seed: HASH_SEED,
      pump: this.pump,
      connect: async (_cluster, refresh) => this.#connect(refresh),
      onNotice: (source, notice) => {
        if (notice.type === 'error') this.trace.note(`notice: ${notice.message}`);
        this.members.notice(source, notice);
      },
      unref: false,
      threads: this.threads,
    });
  }

  /** Makes and starts the informers of the plan. */
  async start(): Promise<void> {
    await this.asHome(() => {
      for (const [number, draw] of this.plan.informers.entries()) this.startInformer(number, draw);
    });
  }

  startInformer(number: number, draw: InformerDraw): void {
    this.starts.push(this.loop.nowMs);
    const subject = new Subject(this, number, draw);
    this.subjects[number] = subject;
    this.#all.push(subject);
    for (const handler of draw.handlers) this.addFollower(subject, handler);
    void subject.informer.start().catch(() => {});
  }

  stopInformer(subject: Subject): void {
    this.#stopping++;
    void subject.informer.stop().then(() => {
      this.#stopping--;
    });
  }

  addFollower(subject: Subject, draw: HandlerDraw): void {
    const name = `handler ${this.#nextFollower++} (${draw.form})`;
    const { informer } = subject;
    const follower = new Follower(name, draw, this, informer, (change) => subject.expected(change));
    subject.followers.push(follower);
  }

  killWorker(index: number): void {
    this.starts.push(this.loop.nowMs);
    this.threads.kill(index);
  }

  /** Faults end. What hangs already goes on hanging: nobody tells the product. */
  heal(): void {
    this.isWell = true;
    this.failingRefreshes = 0;
    this.loop.lookMs = 0;
    this.cluster.heal();
  }

  /** Throws unless every block that was handed out is current, or held for somebody, once nothing is under way. */
  checkMemory(): void {
    if (this.pump.ringFill > 0 || this.#stopping > 0 || !this.#all.every(({ isIdle }) => isIdle)) return;
    const expected = this.#all.reduce((sum, subject) => sum + this.#bytesOf(subject), 0);
    const { bytesInUse, hasLost } = this.accounts;
    // What handlers hold of a worker that is gone can't be told apart.
    if (hasLost ? bytesInUse <= expected : bytesInUse === expected) return;
    throw new Error(`${bytesInUse} bytes are in use, and caches and handlers account for ${expected}`);
  }

  /** Throws unless all memory was given back, and nothing runs for what has stopped. */
  checkEmpty(): void {
    const { bytesInUse } = this.accounts;
    if (bytesInUse !== 0) throw new Error(`${bytesInUse} bytes are in use by nobody`);
    for (const thread of [this.home, ...this.threads.running.values()]) {
      const pending = this.loop.pending(thread);
      if (pending > 0) throw new Error(`${pending} timers of ${thread.name} wait for nothing`);
    }
  }

  asHome(run: () => void): Promise<void> {
    return this.loop.runAs(this.home, run);
  }

  /** Notes what is wrong where nothing can be thrown. */
  fail(error: Error): void {
    this.failure ??= error;
  }

  #bytesOf({ informer }: Subject): number {
    let bytes = informer.stats.heldBytes;
    for (const { block } of informer.lister.refs()) {
      if (!this.accounts.isLost(block.segment)) bytes += block.lengthBytes;
    }
    return bytes;
  }

  #connect(refresh: boolean): ConnectionInfo {
    if (refresh && this.failingRefreshes > 0) {
      this.failingRefreshes--;
      throw new Error('the credentials plugin failed, as drawn');
    }
    if (refresh) this.#token = this.cluster.token;
    return { server: 'http://sim', headers: { authorization: `Bearer ${this.#token}` }, tls: {} };
  }
}
