/** The DeltaSink of a reflector on the home thread: it reads objects as well as bytes. */
import type { ListReader, ReflectorNotice, WatchReader, WatchStart } from '../reflector/index.ts';
import { ReflectorSink, type SinkOptions } from '../worker/index.ts';
import { type ListFeed, WatchFeed } from './feeds.ts';
import { FunctionWatchReader } from './function-watch-reader.ts';
import { ObjectListReader } from './object-list-reader.ts';
import type { PlainDraft } from './plain-draft.ts';

export interface LocalSinkOptions extends SinkOptions {
  /** For objects; `draft` is for bytes. */
  readonly plainDraft: PlainDraft;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

export class LocalSink extends ReflectorSink {
  readonly plainDraft: PlainDraft;
  readonly now: () => number;
  /** The list that was given; undefined when it comes as bytes. */
  listFeed: ListFeed | undefined;
  /** Of the watch that runs. */
  watchFeed = new WatchFeed();
  /** When the event loop is to have its turn: one slice goes on over small pages that follow at once. */
  sliceEndMs = 0;
  /** What the function threw last, for whoever is told of it. */
  thrown: unknown;

  constructor(options: LocalSinkOptions) {
    super(options);
    this.plainDraft = options.plainDraft;
    this.now = options.now;
  }

  override openList(): ListReader {
    return this.listFeed === undefined ? super.openList() : new ObjectListReader(this, this.listFeed);
  }

  override openWatch(start: WatchStart): WatchReader {
    return new FunctionWatchReader(this, this.watchFeed, start, () => super.openWatch(start));
  }

  override notice(notice: ReflectorNotice): void {
    const isOfThrown = notice.type === 'error' && this.thrown !== undefined;
    super.notice(isOfThrown ? Object.assign({ cause: this.thrown }, notice) : notice);
  }
}
