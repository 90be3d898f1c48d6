/** Where lists and initial events come from: objects that are kept, or made while they are sent. */
import type { Frames } from './frames.ts';

export interface ListPage {
  readonly count: number;
  /** Where the next page begins; undefined when this is the last. */
  readonly next: number | undefined;
  /** Objects with a comma behind each. */
  readonly chunks: Iterable<Buffer>;
}

export interface ObjectSource {
  readonly frames: Frames;
  readonly size: number;
  /** The resourceVersion of the last change. */
  readonly version: number;
  /** @param limit - Infinity for all */
  page(begin: number, limit: number): ListPage;
  /** All objects as ADDED events, in chunks of whole events. */
  initialEvents(): Iterable<Buffer>;
  /** Sum over all objects, as the hash of an answer is made. */
  hash(): number;
}

/** What {@link ListPage.chunks} has, without the last comma. */
export function* withoutLastComma(chunks: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer | undefined;
  for (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (held !== undefined) yield held.subarray(0, -1);
}
