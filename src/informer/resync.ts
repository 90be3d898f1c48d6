/**
 * Resync: handlers that asked for it get every object again, each with a period of its own. One timer per informer
 * looks who is due; then the store goes through the DeltaFIFO as Sync deltas, in small steps, so that a large store
 * is no burst. Without such a handler there is no timer.
 * Source: `resyncCheckPeriod`, `shouldResync` in client-go's `tools/cache/shared_informer.go` and
 * `processor_listener.go`; the rules on periods are those of `AddEventHandlerWithResyncPeriod` there.
 */
import type { Clock } from '../reflector/index.ts';

/** Shorter periods would keep a controller busy with nothing. As client-go's `minimumResyncPeriod`. */
const MIN_RESYNC_MS = 1000;

/** Time between two steps of a resync. */
const STEP_MS = 50;

/** So many objects are no burst: a small store needs one step. */
const MIN_STEP_OBJECTS = 128;

/** A resync takes a quarter of its period, so that the next one finds it done, but no longer than that. */
const SPREAD_PART = 4;
const MAX_SPREAD_MS = 30_000;

/** What a listener has for this. */
export interface ResyncListener {
  readonly plan: { readonly resyncMs: number | undefined };
  /** How often it gets what exists again, 0 for never, and when it is the next time. */
  resyncMs: number;
  nextResyncMs: number;
  /** The resync that runs is for this listener, too. */
  isResyncing: boolean;
}

/** Puts Sync deltas of a part of the store into a DeltaFIFO. */
export interface ResyncSource {
  readonly isResyncing: boolean;
  startResync(): void;
  /** Allows so many more Sync deltas. */
  grantSyncs(count: number): void;
}

export interface ResyncOptions {
  readonly clock: Clock;
  /** Period of handlers that name none, in milliseconds; 0 for never. */
  readonly defaultMs: number;
  readonly listeners: Iterable<ResyncListener>;
  readonly sources: readonly ResyncSource[];
  /** How many objects there are. */
  readonly count: () => number;
  /** Sources have something to do. */
  readonly wake: () => void;
}

export class Resync {
  /** How often it is looked who is due, in milliseconds; 0 when nobody ever is. */
  checkMs: number;

  readonly #options: ResyncOptions;
  /** What listeners asked for: what they get follows from `checkMs`. */
  readonly #askedMs = new WeakMap<ResyncListener, number>();
  #isStarted = false;
  #cancelCheck: (() => void) | undefined;
  #cancelStep: (() => void) | undefined;

  constructor(options: ResyncOptions) {
    this.#options = options;
    this.checkMs = atLeastMinimum(options.defaultMs);
  }

  /** Gives a listener its period. */
  add(listener: ResyncListener): void {
    let askedMs = atLeastMinimum(listener.plan.resyncMs ?? this.#options.defaultMs);
    const isShorter = askedMs > 0 && (this.checkMs === 0 || askedMs < this.checkMs);
    // Unlike in client-go, an informer that looked for nobody so far begins to when a handler asks for it.
    if (isShorter && this.#isStarted && this.checkMs > 0) askedMs = this.checkMs;
    else if (isShorter) this.#lookEvery(askedMs);
    this.#askedMs.set(listener, askedMs);
    this.#derive(listener);
    listener.nextResyncMs = this.#options.clock.now() + listener.resyncMs;
    if (this.#isStarted) this.#schedule();
  }

  start(): void {
    this.#isStarted = true;
    this.#schedule();
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
    this.#cancelStep?.();
    this.#cancelStep = undefined;
  }

  #lookEvery(checkMs: number): void {
    this.checkMs = checkMs;
    for (const listener of this.#options.listeners) this.#derive(listener);
  }

  #derive(listener: ResyncListener): void {
    const askedMs = this.#askedMs.get(listener) ?? 0;
    listener.resyncMs = askedMs === 0 ? 0 : Math.max(askedMs, this.checkMs);
  }

  #schedule(): void {
    if (this.#cancelCheck !== undefined || !this.#hasAsker()) return;
    this.#cancelCheck = this.#options.clock.setTimer(this.checkMs, () => {
      this.#cancelCheck = undefined;
      this.#check();
      this.#schedule();
    });
  }

  #hasAsker(): boolean {
    for (const listener of this.#options.listeners) if (listener.resyncMs > 0) return true;
    return false;
  }

  #check(): void {
    // One that is not done yet goes on; whoever is due now is due at the next look as well.
    if (this.#isRunning) return;
    const nowMs = this.#options.clock.now();
    let isAnyDue = false;
    for (const listener of this.#options.listeners) {
      listener.isResyncing = listener.resyncMs > 0 && nowMs >= listener.nextResyncMs;
      if (!listener.isResyncing) continue;
      listener.nextResyncMs = nowMs + listener.resyncMs;
      isAnyDue = true;
    }
    if (!isAnyDue) return;
    const spreadMs = Math.min(this.checkMs / SPREAD_PART, MAX_SPREAD_MS);
    const evenly = Math.ceil(this.#options.count() / (spreadMs / STEP_MS));
    for (const source of this.#options.sources) source.startResync();
    this.#step(Math.max(evenly, MIN_STEP_OBJECTS));
  }

  get #isRunning(): boolean {
    return this.#options.sources.some((source) => source.isResyncing);
  }

  #step(perStep: number): void {
    for (const source of this.#options.sources) if (source.isResyncing) source.grantSyncs(perStep);
    this.#options.wake();
    this.#cancelStep = this.#options.clock.setTimer(STEP_MS, () => {
      this.#cancelStep = undefined;
      if (this.#isRunning) this.#step(perStep);
    });
  }
}

function atLeastMinimum(periodMs: number): number {
  return periodMs === 0 ? 0 : Math.max(periodMs, MIN_RESYNC_MS);
}
