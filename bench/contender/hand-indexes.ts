/** Three indexes as users of a library without any keep them: by hand, in the handler. */
import { APP_LABEL, type BenchObject, keyOf, VERSION_LABEL } from './objects.ts';

type PickValue = (object: BenchObject) => string | undefined;

const VALUES: readonly PickValue[] = [
  ({ spec }) => spec?.nodeName,
  ({ metadata }) => metadata?.labels?.[APP_LABEL],
  ({ metadata }) => metadata?.labels?.[VERSION_LABEL],
];

export class HandIndexes {
  readonly #indexes = VALUES.map((pick) => new HandIndex(pick));

  set(object: BenchObject): void {
    const key = keyOf(object);
    for (const index of this.#indexes) index.set(key, object);
  }

  delete(object: BenchObject): void {
    const key = keyOf(object);
    for (const index of this.#indexes) index.delete(key);
  }

  get nodes(): string[] {
    return [...this.#indexes[0]!.keys.keys()];
  }

  onNode(node: string): Iterable<string> {
    return this.#indexes[0]!.keys.get(node) ?? [];
  }
}

class HandIndex {
  readonly keys = new Map<string, Set<string>>();
  readonly #pick: PickValue;
  /** What each object had, to take it out again: client-node's handlers don't get the object before. */
  readonly #values = new Map<string, string>();

  constructor(pick: PickValue) {
    this.#pick = pick;
  }

  set(key: string, object: BenchObject): void {
    const value = this.#pick(object);
    if (value === this.#values.get(key)) return;
    this.delete(key);
    if (value === undefined) return;
    this.#values.set(key, value);
    const keys = this.keys.get(value);
    if (keys === undefined) this.keys.set(value, new Set([key]));
    else keys.add(key);
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    const keys = this.keys.get(value)!;
    keys.delete(key);
    if (keys.size === 0) this.keys.delete(value);
  }
}
