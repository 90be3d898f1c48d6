import type {
  ApiStatus,
  BodyProblem,
  DeltaSink,
  ListEnvelope,
  ListReader,
  ReflectorNotice,
  WatchReader,
  WatchStart,
} from '../../src/reflector/index.ts';
import { ReadState } from '../../src/reflector/index.ts';

interface Named {
  readonly metadata: {
    readonly name?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
}

const INITIAL_END = 'k8s.io/initial-events-end';

/** Notes what it is given as short texts, and is full when a test says so. */
export class FakeSink implements DeltaSink {
  /** `begin`, `item a`, `end 7`, `ADDED b`, `BOOKMARK 9` … in order; `delete a` within a Replace. */
  readonly deltas: string[] = [];
  /** The resourceVersion of each delta; '' for those that have none. */
  readonly versions: string[] = [];
  readonly notices: ReflectorNotice[] = [];
  readonly open = new Set<object>();
  onSpace: (() => void) | undefined;
  /** What it still takes before it is full. */
  room = Number.POSITIVE_INFINITY;
  onNotice: ((notice: ReflectorNotice) => void) | undefined;

  beginReplace(): boolean {
    return this.put('begin');
  }
  endReplace(resourceVersion: string): boolean {
    return this.put(`end ${resourceVersion}`, resourceVersion);
  }
  openList(): ListReader {
    return new FakeListReader(this);
  }
  openWatch({ initial }: WatchStart): WatchReader {
    return new FakeWatchReader(this, initial);
  }
  notice(notice: ReflectorNotice): void {
    this.notices.push(notice);
    this.onNotice?.(notice);
  }

  /** False when there is no room. */
  put(delta: string, version = ''): boolean {
    if (this.room <= 0) return false;
    this.room--;
    this.deltas.push(delta);
    this.versions.push(version);
    return true;
  }

  giveRoom(room = Number.POSITIVE_INFINITY): void {
    this.room = room;
    this.onSpace?.();
  }

  get errors(): Extract<ReflectorNotice, { type: 'error' }>[] {
    return this.notices.filter((notice) => notice.type === 'error');
  }
  get states(): string[] {
    return this.notices.filter((notice) => notice.type === 'state').map(({ state }) => state);
  }
}

class FakeReader {
  readonly sink: FakeSink;
  problem: BodyProblem | undefined;
  text = '';
  hasEnded = false;
  #isClosed = false;

  constructor(sink: FakeSink) {
    this.sink = sink;
    sink.open.add(this);
  }

  push(chunk: Uint8Array): void {
    this.#mustBeOpen();
    this.text += Buffer.from(chunk).toString();
  }
  end(): void {
    this.#mustBeOpen();
    if (this.hasEnded) throw new Error('ended twice');
    this.hasEnded = true;
  }
  close(): void {
    this.#isClosed = true;
    this.sink.open.delete(this);
  }
  fail(code: string): ReadState {
    this.problem = { code, message: `body is ${code}` };
    return ReadState.failed;
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new Error('used after it was closed');
  }
}

/** Reads items one by one once the whole list is there. */
class FakeListReader extends FakeReader implements ListReader {
  items = 0;
  envelope: ListEnvelope | undefined;
  #list: (ListEnvelope & { items?: Named[] }) | undefined;

  read(): ReadState {
    this.#list ??= this.#parse();
    if (this.#list === undefined) return this.hasEnded ? this.fail('truncated-list') : ReadState.more;
    const items = this.#list.items ?? [];
    while (this.items < items.length) {
      if (!this.sink.put(`item ${items[this.items]!.metadata.name}`)) return ReadState.full;
      this.items++;
    }
    this.envelope = this.#list;
    return ReadState.done;
  }

  #parse() {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }
}

class FakeWatchReader extends FakeReader implements WatchReader {
  events = 0;
  lastResourceVersion: string | undefined;
  status: ApiStatus | undefined;
  #isInitial: boolean;

  constructor(sink: FakeSink, isInitial: boolean) {
    super(sink);
    this.#isInitial = isInitial;
  }

  read(): ReadState {
    for (let end = this.text.indexOf('\n'); end >= 0; end = this.text.indexOf('\n')) {
      const state = this.#event(this.text.slice(0, end));
      if (state === ReadState.full || state === ReadState.failed) return state;
      this.text = this.text.slice(end + 1);
      if (state === ReadState.initialEnd) return state;
    }
    if (!this.hasEnded) return ReadState.more;
    return this.text === '' ? ReadState.done : this.fail('truncated-event');
  }

  #event(line: string): ReadState {
    if (!line.startsWith('{')) return this.fail('malformed-event');
    const { type, object } = JSON.parse(line) as { type: string; object: Named & ApiStatus };
    if (type === 'ERROR') {
      this.status = object;
      return ReadState.failed;
    }
    if (this.#isInitial) return this.#initialEvent(type, object);
    const { name, resourceVersion } = object.metadata;
    if (!this.sink.put(`${type} ${name ?? resourceVersion}`, resourceVersion)) return ReadState.full;
    this.events++;
    this.lastResourceVersion = resourceVersion;
    return ReadState.more;
  }

  #initialEvent(type: string, { metadata }: Named): ReadState {
    if (type === 'BOOKMARK' && metadata.annotations?.[INITIAL_END] === 'true') {
      this.#isInitial = false;
      this.lastResourceVersion = metadata.resourceVersion;
      return ReadState.initialEnd;
    }
    if (type === 'BOOKMARK') return ReadState.more;
    if (!this.sink.put(`${type === 'DELETED' ? 'delete' : 'item'} ${metadata.name}`)) return ReadState.full;
    this.events++;
    // As a reader may do it: the reflector must not follow versions that come in no order.
    this.lastResourceVersion = metadata.resourceVersion;
    return ReadState.more;
  }
}
