/** What a probe does with the objects of its lists: note which versions there are, or put them on the ring. */
import { RecordKind } from '../layout/ring.ts';
import { type ListEnvelope, type ListReader, ReadState } from '../reflector/index.ts';
import { ListFramer } from '../scan/index.ts';
import { problemOf } from './bad-objects.ts';
import { PutResult } from './delta-writer.ts';
import type { IdentityRows } from './identity-table.ts';
import { typeMetaOf } from './list-reader.ts';
import type { VersionedDraft } from './put.ts';
import { ScanReader } from './scan-reader.ts';
import type { ReflectorSink } from './sink.ts';

abstract class ProbeReader extends ScanReader<ListFramer> implements ListReader {
  items = 0;
  /** There was an object of which nothing came: it could not be used, or found no room. */
  hasSkipped = false;

  constructor(sink: ReflectorSink) {
    super(sink, new ListFramer(sink.options.engine, sink.options.program));
  }

  get envelope(): ListEnvelope | undefined {
    return this.framer.envelope as ListEnvelope | undefined;
  }

  protected skip(): ReadState {
    this.hasSkipped = true;
    return ReadState.more;
  }

  /** The reflector's own list tells of objects that can't be used, too. */
  protected override useBad(): ReadState {
    this.bad.add(problemOf(this.framer.problem!));
    return this.skip();
  }
}

export class IdentityReader extends ProbeReader {
  readonly #rows: IdentityRows;

  constructor(sink: ReflectorSink, rows: IdentityRows) {
    super(sink);
    this.#rows = rows;
  }

  protected override useObject(): ReadState {
    const { draft } = this.sink.options;
    if (draft.take(undefined) !== undefined) return this.skip();
    const hasVersion = draft.hashVersion();
    const { hashLo, hashHi, versionLo, versionHi, key } = draft;
    this.#rows.add(hashLo, hashHi, hasVersion ? versionLo : 0, hasVersion ? versionHi : 0, key);
    this.items++;
    return ReadState.more;
  }
}

/** Reads a list of the one object that has a name, and puts that on the ring. */
export class ObjectReader extends ProbeReader {
  readonly #owner: number;

  /** @param owner - number of the reflector whose blocks these are from now on */
  constructor(sink: ReflectorSink, owner: number) {
    super(sink);
    this.#owner = owner;
  }

  protected override useObject(): ReadState {
    const { sink } = this;
    const { draft, writer, source } = sink.options;
    sink.typeMeta ??= typeMetaOf(this.framer.head);
    if (draft.take(sink.typeMeta) !== undefined) return this.skip();
    (draft as VersionedDraft).prepareBody?.();
    for (;;) {
      const result = writer.putObject(RecordKind.repair, source, draft, this.#owner);
      if (result === PutResult.ok) {
        this.items++;
        return ReadState.more;
      }
      // There is no room for it: it stays as it is, until the next audit.
      if (result === PutResult.arenaFull && sink.isStarved) return this.skip();
      if (sink.waitFor(result, draft.bodyLength)) return ReadState.full;
    }
  }
}
