/** Reads one page of a list: frames and scans its items, and puts each on the ring. */
import { RecordKind } from '../layout/ring.ts';
import { type BodyProblem, type ListEnvelope, type ListReader, ReadState } from '../reflector/index.ts';
import { ListFramer, Step } from '../scan/index.ts';
import { BadObjects, problemOf } from './bad-objects.ts';
import { PutResult } from './delta-writer.ts';
import type { TypeMeta } from './object-draft.ts';
import type { ReflectorSink } from './sink.ts';

export class ScanListReader implements ListReader {
  items = 0;
  problem: BodyProblem | undefined;

  readonly #sink: ReflectorSink;
  readonly #framer: ListFramer;
  readonly #bad: BadObjects;

  constructor(sink: ReflectorSink) {
    this.#sink = sink;
    this.#framer = new ListFramer(sink.options.engine, sink.options.program);
    this.#bad = new BadObjects(sink.options.what, sink.options.tell);
  }

  get envelope(): ListEnvelope | undefined {
    return this.#framer.envelope as ListEnvelope | undefined;
  }

  push(chunk: Uint8Array): void {
    this.#framer.push(chunk);
  }

  end(): void {
    this.#framer.end();
  }

  read(): ReadState {
    const { writer } = this.#sink.options;
    // Replaced bodies come back all the time: their room is used before the arena grows.
    writer.takeReleases();
    const state = this.#readItems();
    writer.flush();
    if (state === ReadState.done || state === ReadState.failed) this.close();
    return state;
  }

  close(): void {
    this.#bad.close();
    this.#framer.close();
  }

  #readItems(): ReadState {
    for (;;) {
      const step = this.#framer.next();
      if (step === Step.item) {
        if (!this.#putItem()) return ReadState.full;
      } else if (step === Step.bad) {
        if (!this.#putBad()) return ReadState.full;
      } else if (step === Step.more) {
        return ReadState.more;
      } else if (step === Step.done) {
        this.#sink.typeMeta ??= typeMetaOf(this.#framer.envelope as ListEnvelope | undefined);
        return ReadState.done;
      } else {
        this.problem = problemOf(this.#framer.problem!);
        return ReadState.failed;
      }
    }
  }

  /** False when there is no room for it: the framer gives the same item again. */
  #putItem(): boolean {
    const { draft, writer, source } = this.#sink.options;
    this.#sink.typeMeta ??= typeMetaOf(this.#framer.head);
    const wrong = draft.take(this.#sink.typeMeta);
    if (wrong !== undefined) {
      this.#bad.add({ code: 'bad-object', message: `an item of the list can't be used: ${wrong}` });
      return true;
    }
    const { ledger } = this.#sink;
    const hasVersion = draft.hashVersion();
    const isSame = hasVersion && ledger.isSame(draft.hashLo, draft.hashHi, draft.versionLo, draft.versionHi);
    for (;;) {
      let result = isSame
        ? writer.putIdentity(RecordKind.replaceMark, source, draft)
        : writer.putObject(RecordKind.replaceItem, source, draft);
      if (result === PutResult.ok && !isSame) {
        if (hasVersion) ledger.set(draft.hashLo, draft.hashHi, draft.versionLo, draft.versionHi);
        if (this.#sink.isStarved) this.#sink.fed(draft.bodyLength);
      }
      if (result === PutResult.arenaFull && this.#sink.isStarved) {
        // The object stays what it was, if it is known at all; without the mark it would seem deleted.
        result = writer.putIdentity(RecordKind.replaceMark, source, draft);
        if (result === PutResult.ok) {
          this.#sink.skipped++;
          ledger.delete(draft.hashLo, draft.hashHi);
        }
      }
      if (result === PutResult.ok) {
        this.items++;
        return true;
      }
      if (this.#sink.waitFor(result, draft.bodyLength)) {
        this.#framer.unread();
        return false;
      }
    }
  }

  /** An item that is broken but can be told apart is marked as seen, so that its last state is kept. */
  #putBad(): boolean {
    const { draft, writer, source } = this.#sink.options;
    if (this.#framer.hasIdentity && draft.take(undefined) === undefined) {
      const result = writer.putIdentity(RecordKind.replaceMark, source, draft);
      if (result !== PutResult.ok && this.#sink.waitFor(result)) {
        this.#framer.unread();
        return false;
      }
    }
    this.#bad.add(problemOf(this.#framer.problem!));
    return true;
  }
}

/** A list's kind is its items' kind with `List` behind it. */
export function typeMetaOf(head: ListEnvelope | undefined): TypeMeta | undefined {
  const { kind, apiVersion } = head ?? {};
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !kind.endsWith('List')) return undefined;
  const itemKind = kind.slice(0, -'List'.length);
  return itemKind === '' ? undefined : { kind: itemKind, apiVersion };
}
