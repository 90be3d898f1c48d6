/** Memory at the end of a sample. */
import type { ContenderMemory } from '../suite/protocol.ts';

const MB = 1e6;

/** RSS as it stands, then the heap behind a collection that is forced: comes after all that is timed. */
export function memoryNow(sharedBytes: number | undefined): ContenderMemory {
  const rssMb = process.memoryUsage.rss() / MB;
  const rssPeakMb = (process.resourceUsage().maxRSS * 1024) / MB;
  if (globalThis.gc === undefined) throw new Error('a contender is started with --expose-gc');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return {
    rssMb,
    rssPeakMb,
    heapMb: heapUsed / MB,
    externalMb: external / MB,
    ...(sharedBytes !== undefined && { sharedMb: sharedBytes / MB }),
  };
}
