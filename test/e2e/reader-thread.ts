/** A thread that reads the cache of an informer of another one, and answers what it is asked. */
import { parentPort, workerData } from 'node:worker_threads';
import { type AttachedLister, type InformerHandle, Lister } from '../../src/index.ts';

export interface Question {
  readonly id: number;
  readonly method: Method;
  readonly args: unknown[];
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { name: string; code: unknown; message: string };
}

type Method = keyof ReturnType<typeof methodsOf>;

if (parentPort !== null) {
  const port = parentPort;
  const methods = methodsOf(Lister.attach(workerData as InformerHandle));
  port.on('message', ({ id, method, args }: Question) => {
    try {
      const result = (methods[method] as (...args: unknown[]) => unknown)(...args);
      port.postMessage({ id, result } satisfies Answer);
    } catch (error) {
      const { name, message, code } = error as Error & { code?: unknown };
      port.postMessage({ id, error: { name, message, code } } satisfies Answer);
    }
  });
}

function methodsOf(lister: AttachedLister) {
  return {
    size: () => lister.size,
    resourceVersion: () => lister.resourceVersion,
    get: (key: string) => lister.get(key),
    has: (key: string) => lister.has(key),
    isSame: (key: string) => new Set([lister.get(key), lister.get(key)]).size === 1,
    list: (selection?: object) => lister.list(selection),
    keys: (selection?: object) => lister.keys(selection).sort(),
    count: (selection?: object) => lister.count(selection),
    indexKeys: (index: string, value: string) => lister.indexKeys(index, value),
    indexValues: (index: string) => lister.indexValues(index).sort(),
    query: (where: Record<string, string>) => lister.query(where).keys().sort(),
    page: (options: { limit: number; continue?: string }) => {
      const page = lister.query().page(options);
      return { keys: page.keys, continue: page.continue };
    },
    iterate: () => [...lister.query()].map(({ key }) => key).sort(),
    column: (key: string, name: string) => lister.ref(key)?.column(name),
    at: (key: string, path: string) => lister.ref(key)?.at(path),
    detach: () => lister.detach(),
  };
}
