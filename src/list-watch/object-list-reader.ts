/** Reads a list of objects: puts each on the ring, as long as the slice lasts. */
import { type BodyProblem, type ListEnvelope, type ListReader, ReadState } from '../reflector/index.ts';
import { BadObjects, isKnownVersion, putItem, putMark, typeMetaOf } from '../worker/index.ts';
import { type ListFeed, SLICE_MS } from './feeds.ts';
import type { LocalSink } from './local-sink.ts';

export class ObjectListReader implements ListReader {
  items = 0;
  readonly problem: BodyProblem | undefined = undefined;
  readonly envelope: ListEnvelope;

  readonly #sink: LocalSink;
  readonly #feed: ListFeed;
  readonly #bad: BadObjects;
  #isEnded = false;

  constructor(sink: LocalSink, feed: ListFeed) {
    this.#sink = sink;
    this.#feed = feed;
    this.#bad = new BadObjects(sink.options.what, sink.options.tell);
    const { kind, apiVersion, metadata = {} } = feed.list;
    this.envelope = {
      ...(kind !== undefined && { kind }),
      ...(apiVersion !== undefined && { apiVersion }),
      metadata: { ...metadata, continue: continueTokenOf(metadata) },
    };
    sink.typeMeta ??= typeMetaOf(this.envelope);
  }

  /** Objects come through the feed; an empty chunk is a tick. */
  push(): void {}

  end(): void {
    this.#isEnded = true;
  }

  read(): ReadState {
    const { writer } = this.#sink.options;
    writer.takeReleases();
    const isRoom = this.#readItems();
    writer.flush();
    if (!isRoom) return ReadState.full;
    if (!this.#isEnded || !this.#feed.isDrained) return ReadState.more;
    this.close();
    return ReadState.done;
  }

  close(): void {
    this.#bad.close();
  }

  /** False when there is no room for the next item. */
  #readItems(): boolean {
    const { now } = this.#sink;
    const feed = this.#feed;
    const endMs = now() + SLICE_MS;
    while (!feed.isDrained) {
      if (!this.#putItem(feed.list.items[feed.position])) return false;
      feed.position++;
      if (now() >= endMs) return true;
    }
    return true;
  }

  #putItem(item: unknown): boolean {
    const sink = this.#sink;
    const draft = sink.plainDraft;
    let wrong = draft.takeIdentity(item, sink.typeMeta);
    const isKnown = wrong === undefined && isKnownVersion(sink, draft);
    if (wrong === undefined && !isKnown) wrong = draft.takeBody();
    if (wrong === undefined) {
      if (!putItem(sink, draft, isKnown)) return false;
      this.items++;
      return true;
    }
    if (draft.hasIdentity && !putMark(sink, draft)) return false;
    const message = `item ${this.#feed.position} of the list can't be used: ${wrong}`;
    this.#bad.add({ code: 'bad-object', message });
    return true;
  }
}

/** client-node names it `_continue`, because the word is reserved in some languages. */
export function continueTokenOf(metadata: object): string {
  const { continue: token, _continue: modelToken } = metadata as { continue?: unknown; _continue?: unknown };
  return [token, modelToken].find((value) => typeof value === 'string') ?? '';
}
