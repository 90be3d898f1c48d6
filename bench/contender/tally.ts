/** What the handler was told, and when: the same few instructions in the handler of each Node contender. */
import type { ContenderConfig } from '../suite/protocol.ts';
import { ReceiveTimes } from './receive-times.ts';

export class Tally {
  adds = 0;
  updates = 0;
  deletes = 0;
  outOfOrder = 0;
  /** Adds up what handlers read, so that no compiler finds out that nobody wants it. */
  sum = 0;
  /** Calls since {@link arm}, or since the start. */
  calls = 0;
  firstMs = 0;
  lastMs = 0;
  /** Highest resourceVersion that the handler saw. */
  highestVersion = 0;
  /** Events that the library merged so far, once there is a library. */
  merged: () => number = () => 0;

  readonly #times: ReceiveTimes | undefined;
  readonly #delayMs: number;
  readonly #isOrdered: boolean;
  #isArmed = false;
  #lastVersion = 0;
  #mergedBefore = 0;
  #awaited: Awaited | undefined;

  constructor({ receiveTimesFile, handlerDelayUs = 0, resources }: ContenderConfig) {
    this.#times = receiveTimesFile === undefined ? undefined : new ReceiveTimes(receiveTimesFile);
    this.#delayMs = handlerDelayUs / 1000;
    this.#isOrdered = resources === undefined;
  }

  /** Counts from zero from now on: what comes is no first list. */
  arm(): void {
    this.calls = 0;
    this.#mergedBefore = this.merged();
    this.#isArmed = true;
  }

  added(key: string, resourceVersion: string): void {
    this.adds++;
    this.#handled(key, resourceVersion);
  }

  updated(key: string, resourceVersion: string): void {
    this.updates++;
    this.#handled(key, resourceVersion);
  }

  deleted(key: string, resourceVersion: string): void {
    this.deletes++;
    this.#handled(key, resourceVersion);
  }

  /**
   * Resolves when the handler was called so often (a merged event counts as a call), or saw this resourceVersion. Where
   * versions come in no order, with several resources or when events were merged, only calls count.
   */
  reached(calls: number, version = Number.POSITIVE_INFINITY): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#awaited = {
      calls,
      version: this.#isOrdered ? version : Number.POSITIVE_INFINITY,
      done: done.resolve,
    };
    this.#check();
    return done.promise;
  }

  /** Writes receive times to their file, when they were asked for. */
  write(): void {
    this.#times?.write();
  }

  #handled(key: string, resourceVersion: string): void {
    const version = Number(resourceVersion);
    const nowMs = performance.now();
    this.sum += key.length;
    if (this.calls++ === 0) this.firstMs = nowMs;
    this.lastMs = nowMs;
    if (this.#isArmed) {
      this.#times?.add(version, nowMs);
      if (version <= this.#lastVersion && this.#isOrdered) this.outOfOrder++;
      this.#lastVersion = version;
    }
    if (version > this.highestVersion) this.highestVersion = version;
    if (this.#delayMs > 0) busyWait(nowMs + this.#delayMs);
    if (this.#awaited !== undefined) this.#check();
  }

  #check(): void {
    const { calls, version, done } = this.#awaited!;
    const merged = this.merged() - this.#mergedBefore;
    const hasSeen = this.highestVersion >= version && merged === 0;
    if (this.calls + merged < calls && !hasSeen) return;
    this.#awaited = undefined;
    done();
  }
}

interface Awaited {
  readonly calls: number;
  readonly version: number;
  readonly done: () => void;
}

/** A slow handler is one that computes: waiting would leave the thread to others. */
function busyWait(untilMs: number): void {
  while (performance.now() < untilMs);
}
