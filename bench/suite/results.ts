/** The lines of a results file, `results/<date>-<name>.jsonl`. */
import type { ObjectKind } from '../server/index.ts';
import type { Mode, ScenarioName } from './protocol.ts';

/** The first line. */
export interface HeaderLine {
  readonly kind: 'header';
  /** Version of this format. */
  readonly suite: 1;
  readonly name: string;
  readonly command: string;
  readonly date: string;
  readonly seed: number;
  readonly commit: string;
  /** Files differ from the commit; missing when that is not known. */
  readonly localChanges?: boolean;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly kernel: string;
    readonly os: string;
  };
  readonly versions: Readonly<Record<string, string>>;
  /** What a reader that only counts bytes gets from the same server. */
  readonly bareReader: { readonly listMBps: number; readonly eventsPerSecond: number };
  /** What was asked for, so that the run can be resumed. */
  readonly options: object;
}

/** Figures of one sample; what a contender can't tell is missing. MB are 10^6 bytes. */
export interface SampleFigures {
  readonly wallMs: number;
  readonly eventsPerSecond?: number;
  readonly cpuMs: number;
  readonly mainCpuMs?: number;
  readonly mainCpuUsPerEvent?: number;
  readonly threads?: Readonly<Record<string, number>>;
  readonly stallMaxMs?: number;
  readonly stallP99Ms?: number;
  readonly gc?: { readonly count: number; readonly totalMs: number; readonly maxMs: number };
  readonly rssMb: number;
  readonly rssPeakMb: number;
  readonly heapMb?: number;
  readonly sharedMb?: number;
  readonly externalMb?: number;
  /** RSS per object in the cache. */
  readonly bytesPerObject?: number;
  readonly latencyMs?: LatencyFigures;
  readonly calls: number;
  readonly serverCpuMs: number;
}

export interface LatencyFigures {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** What is sampled; all samples of a cell are compared with those of other contenders in the same group. */
export interface Cell {
  readonly scenario: ScenarioName;
  readonly contender: string;
  readonly mode: Mode;
  readonly objects: number;
  readonly objectKind: ObjectKind;
  /** Events a second, where these are paced. */
  readonly rate?: number;
  readonly transport: 'http' | 'https';
  /** One of the pair that differs in nothing. */
  readonly aa?: 'A' | 'B';
}

export interface SampleLine extends Cell {
  readonly kind: 'sample';
  readonly sample: number;
  readonly warmup: boolean;
  /** Load average of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
  /** Others were at work on this machine at the start of the sample. */
  readonly busy: boolean;
  /** Missing when the contender did not finish. */
  readonly figures?: SampleFigures;
  readonly answer: { readonly right: boolean; readonly problems: readonly string[] };
}

export interface SkippedLine {
  readonly kind: 'skipped';
  readonly contender: string;
  readonly scenario: ScenarioName;
  readonly objects?: number;
  readonly reason: string;
}

export type ResultLine = HeaderLine | SampleLine | SkippedLine;
