import type { BodyStream } from './body-stream.ts';
import type { Collection } from './collection.ts';
import type { RequestFaults } from './faults.ts';
import type { Change } from './history.ts';
import { errorEvent, strike } from './item-faults.ts';
import type { Filter } from './selectors.ts';
import type { ServerStats } from './stats.ts';
import { expired } from './status.ts';
import { putObject, type StoredObject, sizeOf } from './stored-object.ts';
import { type EventFormats, type EventType, eventFormats } from './watch-format.ts';
import { type Lease, writeBuffers } from './write-buffers.ts';

/** Written at once at most. A batch is what one turn of the event loop brought, so mostly much smaller. */
const BATCH_BYTES = 256 * 1024;

/** What a watch is asked for, and what it needs from the server. */
export interface WatchOptions {
  readonly collection: Collection;
  readonly stream: BodyStream;
  readonly stats: ServerStats;
  readonly filter: Filter | undefined;
  readonly partial: boolean;
  readonly faults: RequestFaults | undefined;
  /** Objects to send as ADDED first. */
  readonly initial: readonly StoredObject[];
  /** Sequence number of the first change to send. */
  readonly from: number;
  /** Only changes after this resourceVersion are sent: a client may know a later state than this server. */
  readonly after: number;
  /** The resourceVersion at which the initial objects were taken. */
  readonly initialVersion: number;
  /** Send the bookmark that ends the initial events (WatchList). */
  readonly marksEnd: boolean;
  /** 0 for no bookmarks. */
  readonly bookmarkIntervalMs: number;
  /** 0 for no end. */
  readonly timeoutMs: number;
  readonly resourceVersion: () => number;
}

/** An event that is about to be sent. */
interface PendingEvent {
  type: EventType;
  object: StoredObject;
  resourceVersion: number;
}

/** The last batch that was made, for other watches that need the same bytes. */
interface SharedBatch {
  from: number;
  to: number;
  count: number;
  lease: Lease;
}
const sharedBatches = new WeakMap<Collection, SharedBatch>();

/** One open watch. It has no queue: it reads the history from where it stands, when its client can take more. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #formats: EventFormats;
  readonly #pump = (): void => this.pump();
  readonly #timers: NodeJS.Timeout[] = [];
  #nextInitial = 0;
  #nextChange: number;
  #needsEndMark: boolean;
  #sent = 0;
  #ended = false;
  /** Started from a resourceVersion that this server has not reached yet. */
  readonly #isAhead: boolean;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#formats = eventFormats(options.collection.resource, options.partial);
    this.#nextChange = options.from;
    this.#needsEndMark = options.marksEnd;
    this.#isAhead = options.after > options.resourceVersion();
  }

  /** Starts sending. */
  start(): void {
    const { stream, collection, bookmarkIntervalMs, timeoutMs } = this.#options;
    stream.onDrain(this.#pump);
    stream.onClose(() => this.#release());
    collection.listen(this.#pump);
    if (bookmarkIntervalMs > 0) {
      this.#timers.push(setInterval(() => this.#bookmark(), bookmarkIntervalMs).unref());
    }
    if (timeoutMs > 0) this.#timers.push(setTimeout(() => this.end(), timeoutMs).unref());
    this.pump();
  }

  /** Ends the answer as after a timeout: all events so far, then a clean end. */
  end(): void {
    this.pump();
    this.#options.stream.end();
    this.#release();
  }

  /** Sends nothing more, and keeps the connection. */
  silence(): void {
    this.#options.stream.fail('silence');
    this.#release();
  }

  /** Sends what the client can take. */
  pump(): void {
    const { stream, collection, initial } = this.#options;
    while (!this.#ended && !stream.closed && !stream.blocked) {
      if (this.#nextInitial < initial.length) this.#sendInitial();
      else if (this.#needsEndMark) this.#sendEndMark();
      else if (this.#nextChange >= collection.history.end) return;
      else if (this.#nextChange < collection.history.first) this.#giveUp();
      else this.#sendChanges();
    }
  }

  #sendInitial(): void {
    const { initial } = this.#options;
    const events: PendingEvent[] = [];
    let bytes = 0;
    while (this.#nextInitial < initial.length && bytes < BATCH_BYTES && events.length < this.#room()) {
      const object = initial[this.#nextInitial++]!;
      const event: PendingEvent = { type: 'ADDED', object, resourceVersion: object.resourceVersion };
      bytes += this.#sizeOf(event);
      events.push(event);
    }
    this.#sendOrStrike(events, bytes);
  }

  #sendChanges(): void {
    const { collection, filter, partial, faults, after } = this.#options;
    // Watches of everything that stand at the same place send the same bytes: made once, not per watch.
    const canShare = filter === undefined && !partial && faults === undefined && !this.#isAhead;
    const shared = sharedBatches.get(collection);
    if (canShare && shared !== undefined && shared.from === this.#nextChange) {
      this.#nextChange = shared.to;
      shared.lease.retain();
      this.#write(shared.lease, shared.count);
      return;
    }
    const from = this.#nextChange;
    const events: PendingEvent[] = [];
    let bytes = 0;
    const end = collection.history.end;
    const room = this.#room();
    while (this.#nextChange < end && bytes < BATCH_BYTES && events.length < room) {
      const change = collection.history.at(this.#nextChange++);
      const event = change.resourceVersion > after ? eventOf(change, filter) : undefined;
      if (event === undefined) continue;
      bytes += this.#sizeOf(event);
      events.push(event);
    }
    if (!canShare || events.length === 0) {
      this.#sendOrStrike(events, bytes);
      return;
    }
    const lease = this.#encode(events, bytes);
    // Kept for the next watch, until another batch takes its place.
    shared?.lease.release();
    lease.retain();
    sharedBatches.set(collection, { from, to: this.#nextChange, count: events.length, lease });
    this.#write(lease, events.length);
  }

  /** How many events may go into the next batch: at least one, for a fault strikes at an event. */
  #room(): number {
    return Math.max(1, this.#options.faults?.itemsLeft(this.#sent) ?? Number.POSITIVE_INFINITY);
  }

  #sendOrStrike(events: readonly PendingEvent[], bytes: number): void {
    if (events.length === 0) return;
    const { faults, stream } = this.#options;
    const lease = this.#encode(events, bytes);
    while (faults !== undefined && faults.itemsLeft(this.#sent) === 0) {
      if (!strike(stream, faults.next()!, lease.bytes)) continue;
      this.#sent += events.length;
      lease.release();
      return;
    }
    this.#write(lease, events.length);
  }

  #write(lease: Lease, count: number): void {
    this.#sent += count;
    this.#options.stats.eventsSent += count;
    this.#options.stream.write(lease.bytes, lease);
  }

  #encode(events: readonly PendingEvent[], bytes: number): Lease {
    const lease = writeBuffers.take(bytes);
    let at = 0;
    for (const event of events) {
      at = putObject(lease.bytes, at, event.object, event.resourceVersion, this.#formats[event.type]);
    }
    return lease;
  }

  #sizeOf(event: PendingEvent): number {
    return sizeOf(event.object, event.resourceVersion, this.#formats[event.type]);
  }

  /** Sent only when nothing is owed: a bookmark promises that all events up to it were sent. */
  #bookmark(): void {
    const { stream, collection, initial, resourceVersion, after } = this.#options;
    this.pump();
    const isBehind = this.#nextInitial < initial.length || this.#nextChange < collection.history.end;
    const version = resourceVersion();
    if (this.#ended || stream.closed || stream.blocked || isBehind || version < after) return;
    this.#writeBookmark(this.#formats.bookmark(version));
  }

  #sendEndMark(): void {
    this.#needsEndMark = false;
    // The state that the initial events showed, not the current one: changes since then follow.
    this.#writeBookmark(this.#formats.endMark(this.#options.initialVersion));
  }

  #writeBookmark(bytes: Buffer): void {
    if (this.#options.faults?.find('no-bookmarks') !== undefined) return;
    this.#options.stats.bookmarksSent++;
    this.#options.stream.write(bytes);
  }

  /** The history was cut past this watch: its client is too slow, and has to list again. */
  #giveUp(): void {
    this.#options.stats.watchesTooSlow++;
    this.#options.stream.write(errorEvent(expired('the watch fell behind the history of the server')));
    this.#options.stream.end();
    this.#release();
  }

  #release(): void {
    this.#ended = true;
    this.#options.collection.unlisten(this.#pump);
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** What a change means to a watch: with a filter, objects come into its view and leave it. */
function eventOf(change: Change, filter: Filter | undefined): PendingEvent | undefined {
  const { current, previous, resourceVersion } = change;
  const isIn = current !== undefined && (filter === undefined || filter(current));
  const wasIn = previous !== undefined && (filter === undefined || filter(previous));
  if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', object: current, resourceVersion };
  return wasIn ? { type: 'DELETED', object: previous, resourceVersion } : undefined;
}
