/** Starts the thread of `reader-thread.ts` and asks it. */
import { Worker } from 'node:worker_threads';
import type { InformerHandle } from '../../src/index.ts';
import type { Answer, Question } from './reader-thread.ts';

export type Ask = (method: Question['method'], ...args: unknown[]) => Promise<unknown>;

export async function withReader(handle: InformerHandle, run: (ask: Ask) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: handle });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  worker.on('message', ({ id, result, error }: Answer) => {
    if (error === undefined) pending.get(id)!.resolve(result);
    else pending.get(id)!.reject(Object.assign(new Error(error.message), error));
  });
  try {
    await run((method, ...args) => {
      const answer = Promise.withResolvers<unknown>();
      pending.set(++last, answer);
      worker.postMessage({ id: last, method, args } satisfies Question);
      return answer.promise;
    });
  } finally {
    await worker.terminate();
  }
}
