/** The informers of a factory: which there are, and the reflectors that feed them. */
import type { HashSeed } from '../layout/key-hash.ts';
import type { Clock, ReflectorNotice } from '../reflector/index.ts';
import type { SegmentTable } from '../store/index.ts';
import type { ReflectorSpec } from '../worker/index.ts';
import type { Feed } from './feed.ts';
import type { Hosts } from './hosts.ts';
import { SharedInformer } from './informer.ts';
import type { InformerPlan } from './options.ts';
import { ProbeDesk, type ProbedFeed } from './probe-desk.ts';
import type { Pump } from './pump.ts';

export interface Member {
  readonly id: string;
  readonly informer: SharedInformer;
  readonly plan: InformerPlan;
  /** Resolves when it has stopped and its memory was given back; undefined as long as nobody stops it. */
  stopping: Promise<void> | undefined;
}

export interface MembersOptions {
  readonly seed: HashSeed;
  readonly segments: SegmentTable;
  readonly pump: Pump;
  readonly hosts: () => Hosts;
  /** Number of the cluster that an informer is of. */
  readonly clusterOf: (plan: InformerPlan) => number;
  readonly clock: Clock;
  readonly startJitterMs: number;
}

interface Source {
  readonly member: Member;
  readonly feed: Feed<object>;
}

export class Members {
  readonly #options: MembersOptions;
  readonly #byId = new Map<string, Member>();
  /** Feeds whose reflectors run, by the number that is in their records. */
  readonly #sources = new Map<number, Source>();
  /** Of informers with a limit of their own: the number of their first feed. */
  readonly #limitGroups = new WeakMap<SharedInformer, number>();
  #nextSource = 1;
  #isClosed = false;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  get all(): readonly Member[] {
    return [...this.#byId.values()];
  }

  get informers(): readonly SharedInformer[] {
    return this.all.map(({ informer }) => informer);
  }

  find(id: string): Member | undefined {
    return this.#byId.get(id);
  }

  add(id: string, plan: InformerPlan): Member {
    const { segments, seed, clock, pump, hosts } = this.#options;
    const isOfFunctions = plan.options.listerWatcher !== undefined;
    const informer = new SharedInformer(plan, {
      segments,
      seed,
      clock,
      release: (ref) => hosts().release(ref),
      wake: () => pump.wake(),
      start: () => this.#start(member),
      stop: () => this.#stop(member),
      ...(!isOfFunctions && { probe: this.#deskOf(plan) }),
    });
    const member: Member = { id, informer, plan, stopping: undefined };
    this.#byId.set(id, member);
    return member;
  }

  /** Starts those that do not run yet. */
  startAll(): void {
    for (const member of this.#byId.values()) if (!member.informer.isStarted) this.#start(member);
  }

  notice(source: number, notice: ReflectorNotice): void {
    const found = this.#sources.get(source);
    found?.member.informer.notice(notice, found.feed);
  }

  /** Nothing is delivered afterwards. What is in the caches can still be read. */
  close(): void {
    this.#isClosed = true;
    for (const source of this.#sources.keys()) this.#options.pump.removeConsumer(source);
    for (const { informer } of this.#byId.values()) informer.stopped();
  }

  #start(member: Member): void {
    member.informer.started();
    for (const feed of member.informer.feeds) this.#startFeed(member, feed);
  }

  #startFeed(member: Member, feed: Feed<object>): void {
    const { plan } = member;
    const source = this.#nextSource++;
    this.#sources.set(source, { member, feed });
    this.#options.pump.addConsumer(source, feed);
    const spec = { ...this.#specOf(plan, feed, source), ...this.#memoryLimitOf(member, source) };
    this.#options.hosts().startReflector(spec, plan.options.listerWatcher);
  }

  /** What one of its feeds brings to the limit of an informer. */
  #memoryLimitOf({ plan, informer }: Member, source: number): Pick<ReflectorSpec, 'memoryLimit'> {
    const { memoryLimitBytes } = plan.options;
    if (memoryLimitBytes === undefined) return {};
    const group = this.#limitGroups.get(informer) ?? source;
    this.#limitGroups.set(informer, group);
    return { memoryLimit: { group, bytes: memoryLimitBytes / informer.feeds.length } };
  }

  /** Where audits of an informer read the API server. */
  #deskOf(plan: InformerPlan): ProbeDesk {
    const { pump, hosts } = this.#options;
    return new ProbeDesk({
      pump,
      hosts,
      nextSource: () => this.#nextSource++,
      sourceOf: (feed) => [...this.#sources].find(([, one]) => one.feed === feed)?.[0],
      specOf: (feed, source) => this.#specOf(plan, feed, source),
    });
  }

  #specOf(plan: InformerPlan, feed: ProbedFeed, source: number): ReflectorSpec {
    const { labelSelector, fieldSelector, watchIdleMs } = plan.options;
    const { initialList, metadataOnly, compression } = plan.options;
    return {
      source,
      cluster: this.#options.clusterOf(plan),
      resource: feed.resource,
      pageLimit: plan.pageLimit,
      scan: plan.scan,
      bodies: plan.bodies,
      ...(plan.workerFunctions !== undefined && { functions: plan.workerFunctions }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(watchIdleMs !== undefined && { watchIdleMs }),
      ...(initialList !== undefined && { initialList }),
      ...(metadataOnly !== undefined && { metadataOnly }),
      ...(compression !== undefined && { compression }),
      startJitterMs: this.#options.startJitterMs,
      status: feed.health.status,
      epochMs: feed.health.epochMs,
    };
  }

  #stop(member: Member): Promise<void> {
    member.stopping ??= this.#isClosed ? member.informer.closed : this.#stopNow(member);
    return member.stopping;
  }

  async #stopNow(member: Member): Promise<void> {
    this.#byId.delete(member.id);
    member.informer.stopped();
    const sources = [...this.#sources].filter(([, source]) => source.member === member);
    for (const [source] of sources) {
      this.#sources.delete(source);
      this.#options.pump.removeConsumer(source);
    }
    await Promise.all(sources.map(([source]) => this.#options.hosts().stopReflector(source)));
    member.informer.discard();
    this.#options.hosts().flush();
  }
}
