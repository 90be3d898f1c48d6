/** One process of the benchmark: fills the caches of one side, measures them, and prints one JSON line. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { drop, SharedInformerFactory } from '../../../src/index.ts';
import { type PodSet, TEN, THOUSAND } from '../../pods/pod-lines.ts';
import { startPodServer } from '../../pods/start-pod-server.ts';
import { heapCases } from './heap.ts';
import { indexValueCases } from './index-value-cases.ts';
import { listerCases } from './lister-cases.ts';
import { type CaseFigures, measure } from './measure.ts';
import { DECODE_CACHE_BYTES, type Pod } from './rows.ts';
import { upsertCases } from './upsert-cases.ts';

export type Side = 'heap' | 'kubering';

/** Bodies of a million Pods are more than the default limit. */
const MEMORY_LIMIT_BYTES = 14 * 1024 ** 3;

const [side, pods, seed] = [process.argv[2] as Side, Number(process.argv[3]), Number(process.argv[4])];
const figures =
  side === 'heap' ? await measure(await heapCases({ pods, seed })) : await observe({ pods, seed });
console.log(JSON.stringify(figures));

async function observe(set: PodSet): Promise<CaseFigures[]> {
  const server = await startPodServer(set);
  const factory = new SharedInformerFactory(server.kubeConfig, { memoryLimitBytes: MEMORY_LIMIT_BYTES });
  try {
    const informer = factory.informerFor<Pod>(
      { group: '', version: 'v1', resource: 'pods' },
      {
        indexers: {
          byTen: `metadata.annotations['${TEN}']`,
          byThousand: `metadata.annotations['${THOUSAND}']`,
          byPhase: 'status.phase',
        },
        columns: { phase: 'status.phase' },
        project: drop('metadata.managedFields'),
        decodeCacheBytes: DECODE_CACHE_BYTES,
      },
    );
    await factory.start();
    const { lister } = informer;
    const handle = informer.handle();
    const local = await measure([
      ...listerCases('kubering', lister),
      ...upsertCases('kubering', handle, lister.keys()),
      ...indexValueCases(set.seed),
    ]);
    const thread = new Worker(new URL('./other-thread.ts', import.meta.url), { workerData: handle });
    const [remote] = (await once(thread, 'message')) as [CaseFigures[]];
    return [...local, ...remote];
  } finally {
    await factory.stop();
    server.stop();
  }
}
