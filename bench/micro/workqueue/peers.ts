/**
 * Queues that others made, when `npm install --prefix bench` has brought them. They call a function with each item, and
 * know neither an item that is queued already nor one that is being worked on.
 */

/** What is used of fastq. */
interface FastQueue {
  push(item: string): void;
  pause(): void;
  resume(): void;
}
interface FastqModule {
  default(work: (item: string, done: () => void) => void, concurrency: number): FastQueue;
}

/** What is used of p-queue. */
interface PromiseQueue {
  add(work: () => Promise<void>): Promise<void>;
  pause(): void;
  start(): void;
  onIdle(): Promise<void>;
}
interface PQueueModule {
  readonly default: new (options: { readonly concurrency: number }) => PromiseQueue;
}

export type Peer = 'fastq' | 'p-queue';

/** Works on `size` items at a time, until `items` are done. @returns how many were */
export type PeerRun = (keys: readonly string[], items: number, size: number) => Promise<number>;

export function isInstalled(peer: string): boolean {
  try {
    import.meta.resolve(peer);
    return true;
  } catch {
    return false;
  }
}

/** fastq calls itself when an item is done at once: bursts of thousands would end its stack. */
export const runFastq: PeerRun = async (keys, items, size) => {
  const { default: fastq } = await load<FastqModule>('fastq');
  let done = 0;
  const queue = fastq((_item, end) => {
    done++;
    end();
  }, 1);
  for (let first = 0; done < items; first = (first + size) % keys.length) {
    queue.pause();
    for (let i = first; i < first + size; i++) queue.push(keys[i]!);
    queue.resume();
  }
  return done;
};

export const runPQueue: PeerRun = async (keys, items, size) => {
  const { default: PQueue } = await load<PQueueModule>('p-queue');
  const queue = new PQueue({ concurrency: 1 });
  let done = 0;
  const work = async (_item: string) => {
    done++;
  };
  for (let first = 0; done < items; first = (first + size) % keys.length) {
    queue.pause();
    for (let i = first; i < first + size; i++) {
      void queue.add(() => work(keys[i]!));
    }
    queue.start();
    await queue.onIdle();
  }
  return done;
};

/** By a name that the compiler can't see, because it may not be there. */
async function load<Module>(peer: Peer): Promise<Module> {
  return (await import(peer)) as Module;
}
