/** The audits of an informer: one at a time, on demand or again and again. */
import type { HashSeed } from '../layout/key-hash.ts';
import type { Clock } from '../reflector/index.ts';
import { AuditFailure, AuditRun, type RunFigures } from './audit-run.ts';
import type { AuditFigures, AuditOptions, AuditReport, AuditSeries } from './audit-types.ts';
import type { InformerCore } from './core.ts';
import type { ErrorReports } from './error-reports.ts';
import { UsageError } from './errors.ts';
import type { Prober } from './probe-desk.ts';

/** An audit lists everything: more often than this it would be a load, and find nothing that the watch does not. */
const MIN_EVERY_MS = 10_000;

/** Each pause is so much longer or shorter, as a part of it. */
const JITTER = 0.1;

/** Pages beyond this are refused by nobody, and help nobody. */
const MAX_PAGE_LIMIT = 10_000;

const MAX_PAUSE_MS = 10_000;

/** Requests for single objects; who needs more has another problem. */
const MAX_SUSPECTS = 100_000;

export interface AuditorOptions<T> {
  readonly core: InformerCore<T>;
  /** Undefined when the objects come from functions: then there is nothing that could be asked otherwise. */
  readonly prober: Prober | undefined;
  readonly seed: HashSeed;
  readonly clock: Clock;
  /** Uniform in [0, 1), as Math.random. */
  readonly random: () => number;
  readonly errors: ErrorReports<T>;
  /** Resolves when the cache has the first list. */
  readonly synced: () => Promise<void>;
  readonly onReport: (report: AuditReport) => void;
}

export class Auditor<T> {
  readonly figures: AuditFigures = { audits: 0, auditFailures: 0, drifts: 0, repairs: 0 };

  readonly #options: AuditorOptions<T>;
  readonly #stopped = new AbortController();
  /** The audits so far, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AuditorOptions<T>) {
    this.#options = options;
  }

  /** One audit, behind those that were asked for before. */
  once(options: AuditOptions): Promise<AuditReport> {
    const prober = this.#check(options);
    const { signal } = options;
    const ends =
      signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal]);
    const audit = this.#last.then(async () => {
      ends.throwIfAborted();
      await this.#options.synced();
      return this.#audit(options, prober, ends);
    });
    this.#last = audit.catch(() => {});
    return audit;
  }

  /** Audits until it is stopped. */
  series(options: AuditOptions & { readonly every: number }): AuditSeries {
    this.#check(options);
    const { every, signal } = options;
    const { clock, random } = this.#options;
    const stop = new AbortController();
    const ends = AbortSignal.any([
      stop.signal,
      this.#stopped.signal,
      ...(signal === undefined ? [] : [signal]),
    ]);
    let last: AuditReport | undefined;
    let cancel = () => {};
    const schedule = (delayMs: number) => {
      cancel = clock.setTimer(delayMs, () => void run());
    };
    const run = async () => {
      try {
        last = await this.once({ ...options, signal: ends });
      } catch {
        // It was stopped, and whoever did that knows.
      }
      if (!ends.aborted) schedule(every * (1 - JITTER + 2 * JITTER * random()));
    };
    ends.addEventListener('abort', () => cancel(), { once: true });
    if (!ends.aborted) schedule(every * random());
    return {
      get last() {
        return last;
      },
      stop: () => stop.abort(),
      [Symbol.dispose]: () => stop.abort(),
    };
  }

  /** Ends all audits. */
  stop(reason: Error): void {
    this.#stopped.abort(reason);
  }

  async #audit(options: AuditOptions, prober: Prober, signal: AbortSignal): Promise<AuditReport> {
    const { core, seed, clock } = this.#options;
    const figures = emptyFigures();
    const startMs = clock.now();
    let failure: AuditFailure | undefined;
    try {
      for (const feed of core.feeds) {
        await new AuditRun<T>({ core, feed, prober, seed, clock, options, signal, figures }).run();
      }
    } catch (error) {
      if (!(error instanceof AuditFailure)) throw error;
      failure = error;
    }
    figures.durationMs = clock.now() - startMs;
    return this.#report(figures, failure);
  }

  #report(figures: RunFigures, failure: AuditFailure | undefined): AuditReport {
    const { errors, onReport } = this.#options;
    const drifts = figures.missing + figures.stale + figures.leftover;
    this.figures.audits++;
    this.figures.drifts += drifts;
    this.figures.repairs += figures.repaired;
    if (failure !== undefined) this.figures.auditFailures++;
    if (drifts > 0) errors.drifted(figures);
    const error = failure === undefined ? undefined : errors.auditFailed(failure);
    const outcome = failure !== undefined ? 'failed' : drifts > 0 ? 'drifted' : 'clean';
    const report: AuditReport = { outcome, ...figures, error };
    onReport(report);
    return report;
  }

  /** @throws UsageError */
  #check({ every, maxSuspects, pageLimit, pauseMs }: AuditOptions): Prober {
    const { prober } = this.#options;
    if (prober === undefined) {
      throw new UsageError(
        'an audit asks an API server, and this informer has a listerWatcher instead of one',
      );
    }
    if (every !== undefined && !(every >= MIN_EVERY_MS)) {
      throw new UsageError(`every is a time in milliseconds, at least ${MIN_EVERY_MS}, not ${every}`);
    }
    checkWhole('maxSuspects', maxSuspects, 1, MAX_SUSPECTS);
    checkWhole('pageLimit', pageLimit, 1, MAX_PAGE_LIMIT);
    checkWhole('pauseMs', pauseMs, 0, MAX_PAUSE_MS);
    return prober;
  }
}

function checkWhole(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new UsageError(`${name} is a whole number from ${min} to ${max}, not ${value}`);
}

function emptyFigures(): RunFigures {
  return {
    resourceVersion: '',
    objects: 0,
    shards: 0,
    differingShards: 0,
    suspects: 0,
    missing: 0,
    stale: 0,
    leftover: 0,
    repaired: 0,
    unconfirmed: 0,
    drifts: [],
    durationMs: 0,
  };
}
