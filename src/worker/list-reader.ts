/** Reads one page of a list: frames and scans its items, and puts each on the ring. */
import { type ListEnvelope, type ListReader, ReadState } from '../reflector/index.ts';
import { ListFramer } from '../scan/index.ts';
import { problemOf } from './bad-objects.ts';
import type { TypeMeta } from './object-draft.ts';
import { isKnownVersion, putItem, putMark } from './put.ts';
import { ScanReader } from './scan-reader.ts';
import type { ReflectorSink } from './sink.ts';

export class ScanListReader extends ScanReader<ListFramer> implements ListReader {
  items = 0;

  constructor(sink: ReflectorSink) {
    super(sink, new ListFramer(sink.options.engine, sink.options.program));
  }

  get envelope(): ListEnvelope | undefined {
    return this.framer.envelope as ListEnvelope | undefined;
  }

  protected override useObject(): ReadState {
    const { draft } = this.sink.options;
    this.sink.typeMeta ??= typeMetaOf(this.framer.head);
    const wrong = draft.take(this.sink.typeMeta);
    if (wrong !== undefined) {
      this.bad.add({ code: 'bad-object', message: `an item of the list can't be used: ${wrong}` });
      return ReadState.more;
    }
    if (!putItem(this.sink, draft, isKnownVersion(this.sink, draft))) return ReadState.full;
    this.items++;
    return ReadState.more;
  }

  /** An item that is broken but can be told apart is marked as seen, so that its last state is kept. */
  protected override useBad(): ReadState {
    const { draft } = this.sink.options;
    const problem = problemOf(this.framer.problem!);
    if (this.framer.hasIdentity && draft.take(undefined) === undefined) {
      if (!putMark(this.sink, draft)) return ReadState.full;
    }
    this.bad.add(problem);
    return ReadState.more;
  }

  protected override finish(): void {
    this.sink.typeMeta ??= typeMetaOf(this.envelope);
  }
}

/** A list's kind is its items' kind with `List` behind it. */
export function typeMetaOf(head: ListEnvelope | undefined): TypeMeta | undefined {
  const { kind, apiVersion } = head ?? {};
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !kind.endsWith('List')) return undefined;
  const itemKind = kind.slice(0, -'List'.length);
  return itemKind === '' ? undefined : { kind: itemKind, apiVersion };
}
