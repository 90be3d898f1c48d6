/** A factory without server and threads, and ways to find samples. */
import assert from 'node:assert/strict';
import type { FactoryStats, SharedInformer } from '../../src/informer/index.ts';
import type { MetricsRegistry } from '../../src/metrics/index.ts';
import { Harness, thing } from '../informer/harness.ts';

const NO_FIGURES: FactoryStats = {
  sharedBytes: 0,
  arenaBytes: 0,
  arenaUsedBytes: 0,
  movedBlocks: 0,
  movedBytes: 0,
  structureBytes: 0,
  dictionaryBytes: 0,
  dictionaries: 0,
  objects: 0,
  records: 0,
  ringFill: 0,
  slices: 0,
  longestSliceMs: 0,
  longestSliceCpuMs: 0,
};

/** Stands in for a factory of these informers. */
export function factoryOf(harnesses: readonly Harness[], stats: Partial<FactoryStats> = {}) {
  const informers = harnesses.map(({ informer }) => informer as unknown as SharedInformer);
  return { informers, stats: { ...NO_FIGURES, ...stats } };
}

/** An informer that has listed so many things. */
export function syncedHarness(objects: number): Harness {
  const harness = new Harness();
  harness.list(
    Array.from({ length: objects }, (_, i) => thing(`ns/${i}`, 1)),
    '100',
  );
  harness.work();
  return harness;
}

/** The only sample with these labels; undefined when there is none. */
export function sampleOf(
  registry: MetricsRegistry,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = registry
    .collect()
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  assert.ok(found.length <= 1, `${name} has ${found.length} samples with ${JSON.stringify(labels)}`);
  return found[0]?.value;
}
