/** A place in a list, by which a value can be taken out without a search. */
export interface ListNode<V> {
  readonly value: V;
  previous: ListNode<V> | undefined;
  next: ListNode<V> | undefined;
}

/** First in, first out, for what may also leave from the middle. */
export class LinkedList<V> {
  #first: ListNode<V> | undefined;
  #last: ListNode<V> | undefined;

  get first(): V | undefined {
    return this.#first?.value;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  push(value: V): ListNode<V> {
    const node: ListNode<V> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    return node;
  }

  shift(): V | undefined {
    const node = this.#first;
    if (node !== undefined) this.remove(node);
    return node?.value;
  }

  /** The node must be in this list. */
  remove(node: ListNode<V>): void {
    if (node.previous === undefined) this.#first = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) this.#last = node.previous;
    else node.next.previous = node.previous;
    node.previous = undefined;
    node.next = undefined;
  }
}
