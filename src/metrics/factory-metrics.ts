/** Metrics of a factory: what its informers share. */
import type { FactoryStats, InformerStats } from '../informer/index.ts';
import type { PulledMetric } from './metric.ts';

export interface FactoryFigures {
  readonly stats: FactoryStats;
  /** Of each informer. */
  readonly informers: readonly InformerStats[];
}

const LABELS = ['name'];

/** Where the memory of caches is: shared, but for what is decoded, which is in the heap. */
const MEMORY: Readonly<Record<string, (figures: FactoryFigures) => number>> = {
  bodies: ({ stats }) => stats.arenaBytes,
  dictionaries: ({ stats }) => stats.dictionaryBytes,
  structures: ({ stats }) => stats.structureBytes,
  indexes: indexBytes,
  rings: (figures) => {
    const { sharedBytes, arenaBytes, dictionaryBytes, structureBytes } = figures.stats;
    return sharedBytes - arenaBytes - dictionaryBytes - structureBytes - indexBytes(figures);
  },
  decoded: ({ informers }) => informers.reduce((sum, { decodeCacheBytes }) => sum + decodeCacheBytes, 0),
};

export const FACTORY_METRICS: readonly PulledMetric<FactoryFigures>[] = [
  {
    name: 'kubering_memory_bytes',
    help: 'Memory of caches by kind: bodies, their dictionaries and structures, indexes and rings are shared memory, decoded are bytes of bodies that are kept decoded in the heap',
    type: 'gauge',
    labels: [...LABELS, 'kind'],
    by: { label: 'kind', values: Object.keys(MEMORY) },
    read: (figures, kind) => MEMORY[kind]!(figures),
  },
  {
    name: 'kubering_memory_moved_bytes_total',
    help: 'Bytes of bodies that workers moved so that memory becomes free',
    type: 'counter',
    labels: LABELS,
    read: ({ stats }) => stats.movedBytes,
  },
  {
    name: 'kubering_ring_records_total',
    help: 'Changes that were taken from the rings',
    type: 'counter',
    labels: LABELS,
    read: ({ stats }) => stats.records,
  },
  {
    name: 'kubering_ring_fill_ratio',
    help: 'Fill of the fullest ring, from 0 to 1',
    type: 'gauge',
    labels: LABELS,
    merge: 'max',
    read: ({ stats }) => stats.ringFill,
  },
  {
    name: 'kubering_home_slices_total',
    help: 'Slices of work on the thread of the factory',
    type: 'counter',
    labels: LABELS,
    read: ({ stats }) => stats.slices,
  },
  {
    name: 'kubering_home_longest_slice_seconds',
    help: 'The longest slice so far, on the clock',
    type: 'gauge',
    labels: LABELS,
    merge: 'max',
    read: ({ stats }) => stats.longestSliceMs / 1000,
  },
  {
    name: 'kubering_home_longest_slice_cpu_seconds',
    help: 'The longest slice so far, in CPU time of its thread',
    type: 'gauge',
    labels: LABELS,
    merge: 'max',
    read: ({ stats }) => stats.longestSliceCpuMs / 1000,
  },
];

function indexBytes({ informers }: FactoryFigures): number {
  return informers.reduce((sum, stats) => sum + stats.indexBytes, 0);
}
