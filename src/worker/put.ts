/** Puts drafts on the ring, keeps the ledger at what was put, and knows what to do when there is no room. */
import { RecordKind } from '../layout/ring.ts';
import { type BlockDraft, PutResult } from './delta-writer.ts';
import type { ReflectorSink } from './sink.ts';

/** A draft that knows which version of its object it is. */
export interface VersionedDraft extends BlockDraft {
  /** Hash of uid and resourceVersion, after {@link hashVersion}. */
  readonly versionLo: number;
  readonly versionHi: number;
  /** False when there is no resourceVersion, so that no version is known. */
  hashVersion(): boolean;
  /** Runs what users want to be run on each object that is put with its body, once for each. */
  prepareBody?(): void;
}

/** Whether this version of the object is what was put last, so that a mark will do for it. */
export function isKnownVersion(sink: ReflectorSink, draft: VersionedDraft): boolean {
  if (!draft.hashVersion()) return false;
  return sink.ledger.isSame(draft.hashLo, draft.hashHi, draft.versionLo, draft.versionHi);
}

/**
 * Puts one item of a list. At the limit of the arena it is marked as seen only: the object stays what it was, if it
 * is known at all; without the mark it would seem deleted.
 *
 * @param isKnown - what {@link isKnownVersion} said
 * @returns false when there is no room: try again after `onSpace`
 */
export function putItem(sink: ReflectorSink, draft: VersionedDraft, isKnown: boolean): boolean {
  const { writer, source } = sink.options;
  if (!isKnown) draft.prepareBody?.();
  for (;;) {
    let result = isKnown
      ? writer.putIdentity(RecordKind.replaceMark, source, draft)
      : writer.putObject(RecordKind.replaceItem, source, draft);
    if (result === PutResult.ok && !isKnown) {
      note(sink, draft);
      if (sink.isStarved) sink.fed(draft.bodyLength);
    }
    if (result === PutResult.arenaFull && sink.isStarved) {
      result = writer.putIdentity(RecordKind.replaceMark, source, draft);
      if (result === PutResult.ok) skip(sink, draft);
    }
    if (result === PutResult.ok) return true;
    if (sink.waitFor(result, draft.bodyLength)) return false;
  }
}

/** Marks an item that can't be used as seen, so that its last state is kept. False when there is no room. */
export function putMark(sink: ReflectorSink, draft: BlockDraft): boolean {
  const { writer, source } = sink.options;
  for (;;) {
    const result = writer.putIdentity(RecordKind.replaceMark, source, draft);
    if (result === PutResult.ok) return true;
    // Not even a mark finds room: it may seem deleted until the next list.
    if (result === PutResult.arenaFull && sink.isStarved) return true;
    if (sink.waitFor(result)) return false;
  }
}

/**
 * Puts the object of a watch event, whose version was hashed. At the limit of the arena deletes go without a body,
 * because they make room; every other change is left out and counted as skipped.
 *
 * @returns false when there is no room: try again after `onSpace`
 */
export function putChange(sink: ReflectorSink, kind: RecordKind, draft: VersionedDraft): boolean {
  const { writer, source } = sink.options;
  draft.prepareBody?.();
  for (;;) {
    let result = writer.putObject(kind, source, draft);
    if (result === PutResult.ok && sink.isStarved) sink.fed(draft.bodyLength);
    if (result === PutResult.arenaFull && kind === RecordKind.deleted) {
      result = writer.putIdentity(kind, source, draft);
    }
    if (result === PutResult.ok) {
      if (kind === RecordKind.deleted) sink.ledger.delete(draft.hashLo, draft.hashHi);
      else note(sink, draft);
      return true;
    }
    if (result === PutResult.arenaFull && sink.isStarved) {
      skip(sink, draft);
      return true;
    }
    if (sink.waitFor(result, draft.bodyLength)) return false;
  }
}

/** Puts a bookmark. False when there is no room. */
export function putBookmark(sink: ReflectorSink, resourceVersion: string): boolean {
  const { writer, source } = sink.options;
  for (;;) {
    const result = writer.putControl(RecordKind.bookmark, source, resourceVersion, '');
    if (result === PutResult.ok) return true;
    if (sink.waitFor(result)) return false;
  }
}

function note({ ledger }: ReflectorSink, draft: VersionedDraft): void {
  if (draft.hashVersion()) ledger.set(draft.hashLo, draft.hashHi, draft.versionLo, draft.versionHi);
  else ledger.delete(draft.hashLo, draft.hashHi);
}

/** It found no room: what was put last is not its state. */
function skip(sink: ReflectorSink, draft: VersionedDraft): void {
  sink.skipped++;
  sink.ledger.delete(draft.hashLo, draft.hashHi);
}
