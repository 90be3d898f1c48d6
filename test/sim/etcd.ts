/** What all API servers of a simulation have behind them: objects, and the history of how each came about. */
import type { Random } from '../../src/testing/random.ts';
import { drawObject } from './objects.ts';

export interface Thing {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly managedFields?: unknown;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly node: string; readonly text: string };
  readonly [section: string]: unknown;
}

/** One write. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly uid: string;
  readonly revision: number;
  /** The object after it; of a delete, the last state with the revision of the delete. */
  readonly object: Thing;
}

/** No real cluster starts at 1, and a version of two lengths is compared. */
const FIRST_REVISION = 95;

export class Etcd {
  /** Of the last write. */
  revision = FIRST_REVISION;
  /** What happened up to here can't be asked for any more. */
  compacted = FIRST_REVISION;
  readonly objects = new Map<string, Change>();
  /** All writes; the product may forget, the model does not. */
  readonly history: Change[] = [];
  readonly #byKey = new Map<string, Change[]>();
  #nextUid = 1;

  /** Creates the object, or changes it. */
  put(key: string, random: Random): Change {
    const before = this.objects.get(key);
    const uid = before?.uid ?? `uid-${this.#nextUid++}`;
    this.revision++;
    const object = drawObject(random, key, uid, this.revision);
    return this.#note({
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      key,
      uid,
      revision: this.revision,
      object,
    });
  }

  /** Deletes the object, if there is one. */
  delete(key: string): Change | undefined {
    const before = this.objects.get(key);
    if (before === undefined) return undefined;
    this.revision++;
    const metadata = { ...before.object.metadata, resourceVersion: String(this.revision) };
    const object = { ...before.object, metadata };
    return this.#note({ type: 'DELETED', key, uid: before.uid, revision: this.revision, object });
  }

  /** A write of something that nobody here watches. */
  tick(): void {
    this.revision++;
  }

  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, Math.min(revision, this.revision));
  }

  /** Changes behind a revision, up to another. */
  *changesBetween(after: number, upTo: number): Generator<Change> {
    for (const change of this.history) {
      if (change.revision > after && change.revision <= upTo) yield change;
    }
  }

  /** What there was at a revision, by key in order. */
  objectsAt(revision: number): Change[] {
    const objects: Change[] = [];
    for (const key of this.#byKey.keys()) {
      const change = this.stateAt(key, revision);
      if (change !== undefined && change.type !== 'DELETED') objects.push(change);
    }
    return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The last change of a key up to a revision. */
  stateAt(key: string, revision: number): Change | undefined {
    return this.#byKey.get(key)?.findLast((change) => change.revision <= revision);
  }

  /** The change of a key that has exactly this revision. */
  changeAt(key: string, revision: number): Change | undefined {
    return this.#byKey.get(key)?.find((change) => change.revision === revision);
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  #note(change: Change): Change {
    this.history.push(change);
    const changes = this.#byKey.get(change.key);
    if (changes === undefined) this.#byKey.set(change.key, [change]);
    else changes.push(change);
    if (change.type === 'DELETED') this.objects.delete(change.key);
    else this.objects.set(change.key, change);
    return change;
  }
}
