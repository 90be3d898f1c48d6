import type { Clock } from './clock.ts';
import { Entry } from './entry.ts';
import { LinkedList, type ListNode } from './linked-list.ts';

/** An entry with its priority and its places among those that are ready. */
export class PriorityEntry<T> extends Entry<T> {
  priority: number;
  readySinceMs = 0;
  /** Its place in its level; undefined while it is not ready. */
  levelNode: ListNode<PriorityEntry<T>> | undefined;
  /** Its place among all, by how long they have been ready. */
  ageNode: ListNode<PriorityEntry<T>> | undefined;

  constructor(key: unknown, item: T, priority: number) {
    super(key, item);
    this.priority = priority;
  }
}

interface Level<T> {
  readonly priority: number;
  readonly entries: LinkedList<PriorityEntry<T>>;
}

/** When what waits too long goes before what is more urgent. */
export interface Ageing {
  readonly afterMs: number;
  readonly every: number;
}

/**
 * Entries that are ready: the highest priority first, and first in, first out among equals. When `every - 1` of them
 * went before one that has been ready for `afterMs` and longer than any other, that one is next.
 *
 * Ageing is a share and no bonus that grows with time, because of what low priorities are for: ten thousand objects of
 * the first list would all have grown urgent after some seconds, and a change that comes then would wait behind them.
 */
export class PriorityLevels<T> {
  readonly #clock: Clock;
  readonly #ageing: Ageing | undefined;
  /** Not empty, by ascending priority: the next to be taken is at the end, where it is cheap. */
  readonly #levels: Level<T>[] = [];
  /** The one that has been ready for longest first. */
  readonly #byAge = new LinkedList<PriorityEntry<T>>();
  #size = 0;
  /** Entries in a row that went before an aged one. */
  #passed = 0;

  constructor(clock: Clock, ageing: Ageing | undefined) {
    this.#clock = clock;
    this.#ageing = ageing;
  }

  get size(): number {
    return this.#size;
  }

  push(entry: PriorityEntry<T>): void {
    entry.readySinceMs = this.#clock.now();
    entry.ageNode = this.#byAge.push(entry);
    entry.levelNode = this.#levelOf(entry.priority).entries.push(entry);
    this.#size++;
  }

  shift(): PriorityEntry<T> | undefined {
    const urgent = this.#levels.at(-1)?.entries.first;
    if (urgent === undefined) return undefined;
    const entry = this.#choose(urgent, this.#byAge.first!);
    this.#byAge.remove(entry.ageNode!);
    entry.ageNode = undefined;
    this.#leaveLevel(entry);
    this.#size--;
    return entry;
  }

  /** Moves an entry to the end of a higher level. It keeps its age. */
  raise(entry: PriorityEntry<T>, priority: number): void {
    this.#leaveLevel(entry);
    entry.priority = priority;
    entry.levelNode = this.#levelOf(priority).entries.push(entry);
  }

  #choose(urgent: PriorityEntry<T>, oldest: PriorityEntry<T>): PriorityEntry<T> {
    if (this.#ageing === undefined) return urgent;
    const isAged = oldest !== urgent && this.#clock.now() - oldest.readySinceMs >= this.#ageing.afterMs;
    this.#passed = isAged ? this.#passed + 1 : 0;
    if (this.#passed < this.#ageing.every) return urgent;
    this.#passed = 0;
    return oldest;
  }

  #leaveLevel(entry: PriorityEntry<T>): void {
    const index = this.#find(entry.priority);
    const { entries } = this.#levels[index]!;
    entries.remove(entry.levelNode!);
    entry.levelNode = undefined;
    if (entries.isEmpty) this.#levels.splice(index, 1);
  }

  #levelOf(priority: number): Level<T> {
    const index = this.#find(priority);
    const known = this.#levels[index];
    if (known?.priority === priority) return known;
    const level: Level<T> = { priority, entries: new LinkedList() };
    this.#levels.splice(index, 0, level);
    return level;
  }

  /** Index of the first level that has at least this priority. */
  #find(priority: number): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#levels[middle]!.priority < priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
