/** What an API server writes around objects: list envelopes and watch events. */
import { apiVersionOf, type BenchResource, type ObjectKind } from './resources.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What an object as lists have it is put between to become an event. */
export interface EventFrame {
  readonly before: Buffer;
  /** Bytes of the object that `before` has already: its opening brace, where kind and apiVersion go behind it. */
  readonly skippedBytes: number;
}

export const EVENT_END = Buffer.from('}\n');

/** The frames of one resource. Custom resources have sorted keys, and kind and apiVersion in list items. */
export class Frames {
  readonly #resource: BenchResource;
  readonly #isSorted: boolean;
  readonly events: Readonly<Record<EventType, EventFrame>>;

  constructor(resource: BenchResource, kind: ObjectKind) {
    this.#resource = resource;
    this.#isSorted = kind === 'custom';
    this.events = {
      ADDED: this.#event('ADDED'),
      MODIFIED: this.#event('MODIFIED'),
      DELETED: this.#event('DELETED'),
    };
  }

  /** @param more - where the next page goes on, and how many objects come then */
  list(
    version: number,
    more: { token: string; remaining: number } | undefined,
  ): { head: Buffer; end: Buffer } {
    const { kind } = this.#resource;
    const apiVersion = apiVersionOf(this.#resource);
    const paging = more && { continue: more.token, remainingItemCount: more.remaining };
    if (!this.#isSorted) {
      const metadata = JSON.stringify({ resourceVersion: String(version), ...paging });
      const head = `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${metadata},"items":[`;
      return { head: Buffer.from(head), end: Buffer.from(']}\n') };
    }
    const metadata = JSON.stringify({ continue: '', ...paging, resourceVersion: String(version) });
    return {
      head: Buffer.from(`{"apiVersion":"${apiVersion}","items":[`),
      end: Buffer.from(`],"kind":"${kind}List","metadata":${metadata}}\n`),
    };
  }

  /** @param endsInitialEvents - the bookmark that ends the initial events of a WatchList */
  bookmark(version: number, { endsInitialEvents }: { endsInitialEvents: boolean }): Buffer {
    const mark = { annotations: { 'k8s.io/initial-events-end': 'true' } };
    const metadata = JSON.stringify({
      ...(endsInitialEvents && this.#isSorted && mark),
      resourceVersion: String(version),
      ...(endsInitialEvents && !this.#isSorted && mark),
    });
    const rest = this.#resource.kind === 'Pod' ? EMPTY_POD : '';
    return Buffer.from(`{"type":"BOOKMARK","object":{${this.#typeMeta()},"metadata":${metadata}${rest}}}\n`);
  }

  #event(type: EventType): EventFrame {
    const object = this.#isSorted ? '' : `{${this.#typeMeta()},`;
    return {
      before: Buffer.from(`{"type":"${type}","object":${object}`),
      skippedBytes: this.#isSorted ? 0 : 1,
    };
  }

  #typeMeta(): string {
    const { kind } = this.#resource;
    const apiVersion = apiVersionOf(this.#resource);
    return this.#isSorted
      ? `"apiVersion":"${apiVersion}","kind":"${kind}"`
      : `"kind":"${kind}","apiVersion":"${apiVersion}"`;
  }
}

/** Go prints structs even when they are empty. */
const EMPTY_POD = ',"spec":{"containers":null},"status":{}';

/** The event with which the real server tells a watch that its resourceVersion is too old. */
export function tooOld(asked: number, oldest: number): Buffer {
  const message = `too old resource version: ${asked} (${oldest})`;
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  const object = { ...status, message, reason: 'Expired', code: 410 };
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`);
}
