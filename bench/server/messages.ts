/** What the server's process and the one that leads the run tell each other. */
import type { ChurnOrder, SendTimes } from './churn.ts';

export type ServerCall =
  | { readonly verb: 'churn'; readonly order: ChurnOrder }
  | { readonly verb: 'expire' }
  | { readonly verb: 'truth' }
  | { readonly verb: 'usage' }
  | { readonly verb: 'writeSendTimes'; readonly path: string };

export type FromServer =
  | { readonly ready: true; readonly port: number }
  | { readonly ready: false; readonly message: string }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

export interface ServerUsage {
  readonly openWatches: number;
  readonly watches: number;
  readonly lists: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** The form in which contenders write their receive times, too: pairs of float64, resourceVersion and epoch ms. */
export function versionsAndTimes({ firstVersion, epochMs }: SendTimes): Float64Array {
  const pairs = new Float64Array(epochMs.length * 2);
  for (let i = 0; i < epochMs.length; i++) {
    pairs[2 * i] = firstVersion + i;
    pairs[2 * i + 1] = epochMs[i]!;
  }
  return pairs;
}
