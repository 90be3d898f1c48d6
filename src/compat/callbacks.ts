/** The callbacks of one informer, as client-node keeps them. */
import type { ErrorCallback, KubernetesObject, ObjectCallback } from '@kubernetes/client-node';

/** What callbacks are kept by. `change` stands for the first three. */
export type Verb = 'add' | 'update' | 'delete' | 'connect' | 'error';

/** What users name. */
export type PublicVerb = Verb | 'change';

export type AnyCallback<T extends KubernetesObject> = ObjectCallback<T> | ErrorCallback;

const OBJECT_VERBS = ['add', 'update', 'delete'] as const;

export class Callbacks<T extends KubernetesObject> {
  readonly #byVerb = new Map<string, AnyCallback<T>[]>();

  constructor() {
    for (const verb of [...OBJECT_VERBS, 'connect', 'error']) this.#byVerb.set(verb, []);
  }

  /** The same callback given twice is called twice. */
  on(verb: PublicVerb, callback: AnyCallback<T>): void {
    for (const list of this.#listsOf(verb)) list.push(callback);
  }

  /** Takes it out once. */
  off(verb: PublicVerb, callback: AnyCallback<T>): void {
    for (const list of this.#listsOf(verb)) {
      const at = list.indexOf(callback);
      if (at !== -1) list.splice(at, 1);
    }
  }

  /** Those of one verb now: a callback that adds or removes others does not change who is called this time. */
  of(verb: Verb): AnyCallback<T>[] {
    return [...this.#byVerb.get(verb)!];
  }

  has(verb: Verb): boolean {
    return this.#byVerb.get(verb)!.length > 0;
  }

  #listsOf(verb: PublicVerb): AnyCallback<T>[][] {
    if (verb === 'change') return OBJECT_VERBS.map((each) => this.#byVerb.get(each)!);
    const list = this.#byVerb.get(verb);
    // The words are client-node's, which some may look for.
    if (list === undefined) throw new Error(`Unknown verb: ${verb}`);
    return [list];
  }
}
