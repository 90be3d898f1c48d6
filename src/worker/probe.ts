/**
 * Reads of the API server beside a reflector, for an audit of what that brought: which versions of which objects there
 * are, and single objects, whose blocks go to the home thread as `repair` records. A probe has a number of its own on
 * the ring, and ends by itself.
 */
import type { HashSeed } from '../layout/key-hash.ts';
import { RecordKind } from '../layout/ring.ts';
import { OneList, type OneListOptions, type OneListResult } from '../reflector/index.ts';
import { PutResult } from './delta-writer.ts';
import { GoneDraft } from './gone-draft.ts';
import { IdentityRows, type IdentityTable } from './identity-table.ts';
import { IdentityReader, ObjectReader } from './probe-readers.ts';
import type { ReflectorSink } from './sink.ts';

/** An object that is asked for alone; the namespace is '' when it has none. */
export interface ProbedObject {
  readonly namespace: string;
  readonly name: string;
}

/** What a probe is to read. Both kinds are asked for as the reflector asks: same namespace, same selectors. */
export type ProbeRequest =
  /** Key, uid and resourceVersion of all objects, from lists of metadata only. */
  | {
      readonly type: 'identities';
      /** Number of shards by which the rows are sorted, a power of two. */
      readonly shards: number;
      /** Most objects of a page, and the pause between two, in milliseconds. */
      readonly pageLimit: number;
      readonly pauseMs: number;
    }
  /** These objects, one request each. */
  | { readonly type: 'objects'; readonly objects: readonly ProbedObject[] };

/** How a probe ended. */
export type ProbeResult =
  | { readonly type: 'identities'; readonly resourceVersion: string; readonly table: IdentityTable }
  /** How many of the objects were put on the ring, as they are or as gone; of the others nothing is known. */
  | { readonly type: 'objects'; readonly put: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string; readonly status: number };

/** How the reflector asks. */
export type ProbeListOptions = Omit<OneListOptions, 'openReader' | 'onEnd' | 'pauseMs' | 'pageLimit'>;

export interface ProbeOptions {
  readonly request: ProbeRequest;
  /** Number of the reflector that it reads beside. */
  readonly beside: number;
  readonly sink: ReflectorSink;
  readonly seed: HashSeed;
  readonly list: ProbeListOptions;
  /** Called once, unless it was stopped before. */
  readonly onEnd: (result: ProbeResult) => void;
}

export class Probe {
  readonly #options: ProbeOptions;
  #list: OneList | undefined;
  /** What waits for space besides the list. */
  #retry: (() => void) | undefined;
  #put = 0;

  constructor(options: ProbeOptions) {
    this.#options = options;
    options.sink.onSpace = () => this.#onSpace();
  }

  start(): void {
    const { request } = this.#options;
    if (request.type === 'identities') this.#listAll(request);
    else this.#readFrom(0, request.objects);
  }

  stop(): void {
    this.#options.sink.onSpace = undefined;
    this.#retry = undefined;
    this.#list?.stop();
  }

  #listAll({ shards, pageLimit, pauseMs }: ProbeRequest & { type: 'identities' }): void {
    const { sink, list, onEnd } = this.#options;
    const rows = new IdentityRows();
    this.#list = new OneList({
      ...list,
      metadataOnly: true,
      pageLimit,
      pauseMs,
      openReader: () => new IdentityReader(sink, rows),
      onEnd: (result) => {
        if (!result.ok) onEnd({ type: 'failed', ...problemOf(result) });
        else
          onEnd({ type: 'identities', resourceVersion: result.resourceVersion, table: rows.table(shards) });
      },
    });
    this.#list.start();
  }

  /** Asks for one object after the other. One that can't be had is left out: the next audit asks again. */
  #readFrom(index: number, objects: readonly ProbedObject[]): void {
    const object = objects[index];
    const { sink, list, onEnd, beside } = this.#options;
    if (object === undefined) {
      onEnd({ type: 'objects', put: this.#put });
      return;
    }
    let reader: ObjectReader | undefined;
    // A list of one name says what a GET does not: at which version there is none, and whether the selectors match.
    const ofName = `metadata.name=${object.name}`;
    this.#list = new OneList({
      ...list,
      resource: object.namespace === '' ? list.resource : { ...list.resource, namespace: object.namespace },
      fieldSelector: list.fieldSelector ? `${list.fieldSelector},${ofName}` : ofName,
      pageLimit: 0,
      openReader: () => {
        reader = new ObjectReader(sink, beside);
        return reader;
      },
      onEnd: (result) => {
        const isThere = (reader?.items ?? 0) > 0;
        if (isThere) this.#put++;
        const isGone = result.ok && !isThere && reader?.hasSkipped === false;
        if (isGone) this.#putGone(object, result.resourceVersion, () => this.#readFrom(index + 1, objects));
        else this.#readFrom(index + 1, objects);
      },
    });
    this.#list.start();
  }

  #putGone({ namespace, name }: ProbedObject, resourceVersion: string, proceed: () => void): void {
    const { sink, seed } = this.#options;
    const { writer, source } = sink.options;
    const draft = new GoneDraft(namespace, name, resourceVersion, seed);
    for (;;) {
      const result = writer.putIdentity(RecordKind.repair, source, draft);
      if (result === PutResult.ok) {
        this.#put++;
        writer.flush();
        break;
      }
      if (result === PutResult.arenaFull && sink.isStarved) break;
      if (sink.waitFor(result)) {
        this.#retry = () => this.#putGone({ namespace, name }, resourceVersion, proceed);
        return;
      }
    }
    proceed();
  }

  #onSpace(): void {
    const retry = this.#retry;
    this.#retry = undefined;
    if (retry === undefined) this.#list?.space();
    else retry();
  }
}

function problemOf({ code, message, status }: OneListResult & { ok: false }) {
  return { code, message, status };
}
