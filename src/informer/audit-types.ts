/** What an audit is asked for and what it says. */
import type { InformerError } from './errors.ts';

/** All fields are optional. */
export interface AuditOptions {
  /**
   * Audits again and again, with about so many milliseconds between two: each is a random tenth earlier or later, and the
   * first one comes after a random part of it, so that many processes don't ask at the same time. At least 10 s.
   */
  readonly every?: number;
  /** Ends the audit, or the series of audits. */
  readonly signal?: AbortSignal;
  /** Put right what is found, besides reporting it. @default true */
  readonly repair?: boolean;
  /**
   * Most objects that are asked for alone, because they look different, in one audit. The rest is left for the next one,
   * and counted as `unconfirmed`. @default 1000
   */
  readonly maxSuspects?: number;
  /** Most objects of one page of the list. @default 500 */
  readonly pageLimit?: number;
  /**
   * Pause between two pages, in milliseconds: an audit is in no hurry. A server forgets a list of many pages after about
   * five minutes. @default 100
   */
  readonly pauseMs?: number;
}

/**
 * How the cache differed from the server.
 *
 * - `missing`: the server has the object, the cache had not
 * - `stale`: the cache had another version, which no event in order could explain
 * - `leftover`: the cache had the object, the server has not
 */
export type DriftKind = 'missing' | 'stale' | 'leftover';

/** One object of which the cache was wrong. */
export interface Drift {
  readonly key: string;
  readonly kind: DriftKind;
}

/** What an audit found. */
export interface AuditReport {
  /** `failed`: nothing can be said, see `error`. */
  readonly outcome: 'clean' | 'drifted' | 'failed';
  /** Of the list that the cache was compared with; of several namespaces the last one's. '' when there was none. */
  readonly resourceVersion: string;
  /** Objects that the server listed. */
  readonly objects: number;
  /** Shards of the cache, and those of them whose hash was another one than the list's: changes alone do that, too. */
  readonly shards: number;
  readonly differingShards: number;
  /** Objects that looked different, and were asked for alone to be sure. */
  readonly suspects: number;
  /** Objects that were wrong, by kind. */
  readonly missing: number;
  readonly stale: number;
  readonly leftover: number;
  /** Of them, those that were put right. */
  readonly repaired: number;
  /** Suspects of which nothing is known: there were too many, or the server or the cache did not answer in time. */
  readonly unconfirmed: number;
  /** The first hundred that were wrong. */
  readonly drifts: readonly Drift[];
  readonly durationMs: number;
  readonly error: InformerError | undefined;
}

/** Audits that come again and again. */
export interface AuditSeries extends Disposable {
  /** What the last one said. Each is an event `audit` of the informer besides. */
  readonly last: AuditReport | undefined;
  /** Ends it; an audit that runs is ended, too. Harmless twice. */
  stop(): void;
}

/** Figures of all audits of an informer. */
export interface AuditFigures {
  audits: number;
  auditFailures: number;
  drifts: number;
  repairs: number;
}
