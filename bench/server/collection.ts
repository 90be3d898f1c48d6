/** The objects of one resource and the watches on them. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { tooOld } from './frames.ts';
import type { ListQuery, WatchQuery } from './query.ts';
import type { BenchResource } from './resources.ts';
import { type ObjectSource, withoutLastComma } from './source.ts';
import { Stream } from './stream.ts';

/** As the real server: bookmarks are sent about once a minute. */
const BOOKMARK_INTERVAL_MS = 60_000;

export class Collection {
  readonly resource: BenchResource;
  readonly objects: ObjectSource;
  readonly watches = new Set<Stream>();
  /** Watches opened so far. */
  opened = 0;
  /** Lists, and initial events of a WatchList, that were answered. */
  listed = 0;
  /** Watches from before this resourceVersion get 410. */
  #oldestVersion = 0;

  constructor(resource: BenchResource, objects: ObjectSource) {
    this.resource = resource;
    this.objects = objects;
  }

  async list(body: Writable, { begin, limit }: ListQuery): Promise<void> {
    const { version, size, frames } = this.objects;
    const { count, next, chunks } = this.objects.page(begin, limit);
    const more =
      next === undefined ? undefined : { token: String(next), remaining: Math.max(1, size - begin - count) };
    const { head, end } = frames.list(version, more);
    body.write(head);
    await sendAll(body, withoutLastComma(chunks));
    body.end(end);
    if (next === undefined) this.listed++;
  }

  async watch(response: ServerResponse, query: WatchQuery): Promise<void> {
    const { objects } = this;
    const needsInitialEvents = query.sendInitialEvents || query.resourceVersion === 0;
    if (!needsInitialEvents && query.resourceVersion < this.#oldestVersion) {
      response.end(tooOld(query.resourceVersion, this.#oldestVersion));
      return;
    }
    response.flushHeaders();
    if (needsInitialEvents) await sendAll(response, objects.initialEvents());
    if (query.sendInitialEvents) {
      response.write(objects.frames.bookmark(objects.version, { endsInitialEvents: true }));
      this.listed++;
    }
    this.#open(new Stream(response), query);
  }

  /** Watches from before the present state get 410 from now on: what happened is not kept here. */
  forget(): void {
    this.#oldestVersion = this.objects.version;
  }

  /** As when an API server restarts. */
  endWatches(): void {
    for (const watch of this.watches) watch.end();
  }

  #open(watch: Stream, { allowBookmarks }: WatchQuery): void {
    this.watches.add(watch);
    this.opened++;
    const timer = setInterval(() => {
      const { frames, version } = this.objects;
      if (allowBookmarks) watch.send(frames.bookmark(version, { endsInitialEvents: false }));
    }, BOOKMARK_INTERVAL_MS);
    watch.onClose(() => {
      clearInterval(timer);
      this.watches.delete(watch);
    });
  }
}

async function sendAll(body: Writable, chunks: Iterable<Buffer>): Promise<void> {
  const stream = new Stream(body);
  for (const chunk of chunks) {
    if (!stream.isOpen) return;
    if (!stream.send(chunk)) await stream.drained();
  }
}
