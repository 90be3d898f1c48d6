/** A source of objects made of client-node's own list function and Watch, for paths that the engine does not know. */
import type { KubernetesListObject, KubernetesObject, ListPromise, Watch } from '@kubernetes/client-node';
import { ListWatch, type ObjectList, type WatchEvent, type WatchOptions } from '../list-watch/index.ts';

/** As in client-node: what is absent is not sent. */
export interface Selectors {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Any state at all, as client-node asks when a list names no version. */
const ANY_VERSION = '0';

export function functionSource<T extends KubernetesObject>(
  path: string,
  watch: Pick<Watch, 'watch'>,
  listFn: ListPromise<T>,
  { labelSelector, fieldSelector }: Selectors,
): ListWatch<T> {
  return new ListWatch<T>({
    listFunc: async () => plainListOf(await listFn()),
    watchFunc: ({ resourceVersion, signal }: WatchOptions) => {
      const query = {
        resourceVersion,
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
      };
      const stream = new EventStream<T>();
      void stream.open(() => watch.watch(path, query, stream.push, stream.end), signal);
      return stream;
    },
  });
}

/** The list function knows nothing of continue tokens: what it gives is all there is. */
function plainListOf<T extends KubernetesObject>(list: KubernetesListObject<T>): ObjectList<T> {
  const { kind, apiVersion, metadata, items } = list;
  return {
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    metadata: { resourceVersion: metadata?.resourceVersion || ANY_VERSION },
    items,
  };
}

/** What a Watch calls back with, as a stream. Its events wait here until they are taken: a Watch can't be paused. */
class EventStream<T> implements AsyncIterableIterator<WatchEvent<T>> {
  readonly #events: WatchEvent<T>[] = [];
  #isEnded = false;
  #error: unknown;
  #controller: AbortController | undefined;
  #wake: (() => void) | undefined;

  async open(watch: () => Promise<AbortController>, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#abort(), { once: true });
    try {
      this.#controller = await watch();
    } catch (error) {
      this.end(error);
    }
    if (this.#isEnded) this.#abort();
  }

  readonly push = (type: string, object: unknown): void => {
    this.#events.push({ type, object } as WatchEvent<T>);
    this.#wake?.();
  };

  readonly end = (error?: unknown): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // Watch ends a connection that was silent for 30 s in this way: nothing is wrong with it.
    if (error instanceof Error && error.name === 'TimeoutError') this.#error = undefined;
    else this.#error = error ?? undefined;
    this.#wake?.();
  };

  async next(): Promise<IteratorResult<WatchEvent<T>>> {
    while (this.#events.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#events.shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#error !== undefined) throw this.#error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#abort();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #abort(): void {
    this.end();
    this.#controller?.abort();
  }
}
