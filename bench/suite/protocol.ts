/** What the runner and a contender's process say to each other: one JSON object a line. */
import type { BenchResource } from '../server/index.ts';

/** What is measured. */
export const SCENARIOS = [
  'list',
  'events',
  'latency',
  'relist',
  'mixed',
  'many',
  'slow-handler',
  'real',
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** What handlers do: read the key, read two fields, or touch the whole object. */
export type Mode = 'keys' | 'two-fields' | 'decode-all';

/** The one argument of a contender's process. */
export interface ContenderConfig {
  readonly server: string;
  /** Path of the authority's certificate, with https. */
  readonly caFile?: string;
  readonly token: string;
  readonly resource: BenchResource;
  /** All resources to watch, when there are several. */
  readonly resources?: readonly BenchResource[];
  readonly mode: Mode;
  /** Whether to keep the three indexes: by node, by application and by version. */
  readonly indexes: boolean;
  /** Over all resources. */
  readonly objects: number;
  /** Each handler call keeps its thread busy for so long. */
  readonly handlerDelayUs?: number;
  readonly lookupsPerSecond?: number;
  /** Where to write when each event was received. */
  readonly receiveTimesFile?: string;
  readonly pageLimit?: number;
}

export type Command =
  | { readonly cmd: 'start' }
  | { readonly cmd: 'arm' }
  | { readonly cmd: 'await'; readonly rv: string; readonly calls: number }
  | { readonly cmd: 'report' }
  | { readonly cmd: 'exit' };

/** Times in milliseconds. What a language or a version can't tell is missing. */
export interface Meters {
  readonly cpuMs: number;
  readonly mainCpuMs?: number;
  /** CPU by name of thread. */
  readonly threads?: Readonly<Record<string, number>>;
  readonly stallMaxMs?: number;
  readonly stallP99Ms?: number;
  readonly gcPauses?: { readonly count: number; readonly totalMs: number; readonly maxMs: number };
  readonly wallMs?: number;
}

export interface ContenderMemory {
  readonly rssMb: number;
  readonly rssPeakMb: number;
  readonly heapMb?: number;
  readonly sharedMb?: number;
  readonly externalMb?: number;
}

export interface ContenderAnswer {
  readonly objects: number;
  readonly hash: string;
  readonly adds: number;
  readonly updates: number;
  readonly deletes: number;
  readonly outOfOrder: number;
  readonly merged: number;
  readonly errors: readonly string[];
}

export interface PhaseReply {
  readonly wallMs: number;
  readonly meters: Meters;
  /** Handler calls in this phase. */
  readonly calls: number;
}

export type Reply =
  | ({ readonly event: 'synced' } & PhaseReply)
  | { readonly event: 'armed' }
  | ({ readonly event: 'caught-up'; readonly gaveUp?: boolean } & PhaseReply)
  | { readonly event: 'report'; readonly memory: ContenderMemory; readonly answer: ContenderAnswer };

export type ReplyTo<Event extends Reply['event']> = Extract<Reply, { event: Event }>;
