/** The figures of a sample as they are shown: with a unit, and what is better. */
import type { ScenarioName } from '../suite/protocol.ts';
import type { SampleFigures } from '../suite/results.ts';

export interface Figure {
  /** With the unit. */
  readonly title: string;
  /** In a sentence: `3.1 times as fast in ‹what›`. */
  readonly what: string;
  readonly better: 'less' | 'more';
  readonly digits: number;
  readonly of: (figures: SampleFigures) => number | undefined;
}

export type FigureName = keyof typeof FIGURES;

export const FIGURES = {
  wallMs: { title: 'ms', what: 'time', better: 'less', digits: 0, of: (f) => f.wallMs },
  eventsPerSecond: {
    title: 'events/s',
    what: 'events a second',
    better: 'more',
    digits: 0,
    of: (f) => f.eventsPerSecond,
  },
  latencyP50: {
    title: 'latency p50, ms',
    what: 'median latency',
    better: 'less',
    digits: 2,
    of: (f) => f.latencyMs?.p50,
  },
  latencyP99: {
    title: 'p99, ms',
    what: 'p99 latency',
    better: 'less',
    digits: 2,
    of: (f) => f.latencyMs?.p99,
  },
  latencyP90: {
    title: 'p90, ms',
    what: 'p90 latency',
    better: 'less',
    digits: 2,
    of: (f) => f.latencyMs?.p90,
  },
  latencyMax: {
    title: 'max, ms',
    what: 'longest latency',
    better: 'less',
    digits: 1,
    of: (f) => f.latencyMs?.max,
  },
  latencyP999: {
    title: 'p99.9, ms',
    what: 'p99.9 latency',
    better: 'less',
    digits: 1,
    of: (f) => f.latencyMs?.p999,
  },
  cpuMs: { title: 'CPU, ms', what: 'CPU', better: 'less', digits: 0, of: (f) => f.cpuMs },
  mainCpuMs: {
    title: 'main-thread CPU, ms',
    what: 'CPU of the main thread',
    better: 'less',
    digits: 0,
    of: (f) => f.mainCpuMs,
  },
  mainCpuUsPerEvent: {
    title: 'main-thread CPU, µs/event',
    what: 'CPU of the main thread per event',
    better: 'less',
    digits: 1,
    of: (f) => f.mainCpuUsPerEvent,
  },
  stallMaxMs: {
    title: 'longest stall, ms',
    what: 'longest stall',
    better: 'less',
    digits: 1,
    of: (f) => f.stallMaxMs,
  },
  stallP99Ms: {
    title: 'stall p99, ms',
    what: 'p99 of stalls',
    better: 'less',
    digits: 1,
    of: (f) => f.stallP99Ms,
  },
  gcMaxMs: {
    title: 'longest GC pause, ms',
    what: 'longest pause for garbage collection',
    better: 'less',
    digits: 1,
    of: (f) => f.gc?.maxMs,
  },
  gcTotalMs: {
    title: 'GC pauses, ms',
    what: 'pauses for garbage collection',
    better: 'less',
    digits: 0,
    of: (f) => f.gc?.totalMs,
  },
  rssMb: { title: 'RSS, MB', what: 'resident memory', better: 'less', digits: 0, of: (f) => f.rssMb },
  rssPeakMb: {
    title: 'RSS peak, MB',
    what: 'peak of resident memory',
    better: 'less',
    digits: 0,
    of: (f) => f.rssPeakMb,
  },
  heapMb: { title: 'heap, MB', what: 'heap', better: 'less', digits: 1, of: (f) => f.heapMb },
  sharedMb: { title: 'shared, MB', what: 'shared memory', better: 'less', digits: 0, of: (f) => f.sharedMb },
  bytesPerObject: {
    title: 'RSS, bytes/object',
    what: 'resident memory per object',
    better: 'less',
    digits: 0,
    of: (f) => f.bytesPerObject,
  },
  calls: { title: 'handler calls', what: 'handler calls', better: 'less', digits: 0, of: (f) => f.calls },
  serverCpuMs: {
    title: "server's CPU, ms",
    what: 'CPU of the server',
    better: 'less',
    digits: 0,
    of: (f) => f.serverCpuMs,
  },
} as const satisfies Record<string, Figure>;

export function figureOf(name: FigureName): Figure {
  return FIGURES[name];
}

/** What the tables of a scenario show. */
export interface ScenarioFigures {
  readonly title: string;
  /** What was done, in a sentence. */
  readonly about: string;
  readonly work: readonly FigureName[];
  readonly memory: readonly FigureName[];
  /** Those by which a program is better or worse; the others are there to explain them. */
  readonly compared: readonly FigureName[];
}

const MEMORY: readonly FigureName[] = [
  'rssMb',
  'rssPeakMb',
  'bytesPerObject',
  'heapMb',
  'sharedMb',
  'gcMaxMs',
  'gcTotalMs',
];
const LIST: readonly FigureName[] = [
  'wallMs',
  'cpuMs',
  'mainCpuMs',
  'stallMaxMs',
  'stallP99Ms',
  'serverCpuMs',
];
const LIST_COMPARED: readonly FigureName[] = ['wallMs', 'cpuMs', 'stallMaxMs', 'rssMb', 'rssPeakMb'];
const EVENTS: readonly FigureName[] = [
  'eventsPerSecond',
  'cpuMs',
  'mainCpuUsPerEvent',
  'stallMaxMs',
  'stallP99Ms',
  'calls',
  'serverCpuMs',
];
const EVENTS_COMPARED: readonly FigureName[] = [
  'eventsPerSecond',
  'cpuMs',
  'mainCpuUsPerEvent',
  'stallMaxMs',
  'rssMb',
  'rssPeakMb',
];

export const SCENARIO_FIGURES: Readonly<Record<ScenarioName, ScenarioFigures>> = {
  list: {
    title: 'First list',
    about: 'From the start of an informer until its handler has got every object.',
    work: LIST,
    memory: MEMORY,
    compared: LIST_COMPARED,
  },
  events: {
    title: 'Events, as fast as they come',
    about: 'Updates of objects on an open watch, sent without pause.',
    work: EVENTS,
    memory: MEMORY,
    compared: EVENTS_COMPARED,
  },
  latency: {
    title: 'Latency',
    about: 'Updates at a steady rate: from the moment the server writes one to the call of the handler.',
    work: ['latencyP50', 'latencyP90', 'latencyP99', 'latencyP999', 'latencyMax', 'cpuMs', 'stallMaxMs'],
    memory: MEMORY,
    compared: ['latencyP50', 'latencyP99', 'latencyP999', 'cpuMs', 'stallMaxMs', 'rssMb'],
  },
  relist: {
    title: 'Relist',
    about: 'The server has forgotten its history (410), so all is listed again; one object has changed.',
    work: [...LIST, 'calls'],
    memory: MEMORY,
    compared: [...LIST_COMPARED, 'calls'],
  },
  mixed: {
    title: 'Creates, updates and deletes, with three indexes and lookups',
    about: 'A mix of events, while three indexes are kept and 1,000 lookups a second are made.',
    work: EVENTS,
    memory: MEMORY,
    compared: EVENTS_COMPARED,
  },
  many: {
    title: 'Twenty resources at once',
    about: 'First lists of twenty custom resources; events/s are those of updates to all of them afterwards.',
    work: ['wallMs', 'eventsPerSecond', 'cpuMs', 'mainCpuMs', 'stallMaxMs', 'stallP99Ms', 'serverCpuMs'],
    memory: MEMORY,
    compared: ['wallMs', 'eventsPerSecond', 'cpuMs', 'stallMaxMs', 'rssMb', 'rssPeakMb'],
  },
  'slow-handler': {
    title: 'A slow handler',
    about: 'Each call keeps its thread busy for 200 µs. Who merges updates of an object calls less often.',
    work: EVENTS,
    memory: MEMORY,
    compared: ['eventsPerSecond', 'cpuMs', 'stallMaxMs', 'rssMb', 'rssPeakMb'],
  },
  real: {
    title: 'First list from a real kube-apiserver',
    about: 'As the first list, from kube-apiserver and etcd on the same machine.',
    work: LIST,
    memory: MEMORY,
    compared: LIST_COMPARED,
  },
};
