/** What a {@link PriorityQueue} does, said as simply as possible: one array that is searched. */

interface ModelEntry {
  readonly item: string;
  priority: number;
  dueMs: number;
  /** Orders what has the same priority; new when it becomes ready or is raised. */
  sequence: number;
  readySinceMs: number;
  /** Orders by age; new when it becomes ready. */
  readySequence: number;
  isReady: boolean;
}

export class ModelPriorityQueue {
  readonly #ageing: { readonly afterMs: number; readonly every: number } | undefined;
  readonly #entries = new Map<string, ModelEntry>();
  /** Next turns of what is processed now. */
  readonly #processing = new Map<string, ModelEntry | undefined>();
  #nowMs = 0;
  #sequence = 0;
  #passed = 0;

  constructor(ageing: { readonly afterMs: number; readonly every: number } | undefined) {
    this.#ageing = ageing;
  }

  get len(): number {
    return this.#ready().length;
  }

  get waiting(): number {
    const all = [...this.#entries.values(), ...this.#processing.values()];
    return all.filter((entry) => entry?.isReady === false).length;
  }

  add(item: string, delayMs: number, priority: number): void {
    const dueMs = this.#nowMs + delayMs;
    const isHeld = this.#processing.has(item);
    const known = isHeld ? this.#processing.get(item) : this.#entries.get(item);
    const entry = known ?? this.#enter(item, priority, dueMs, isHeld);
    if (priority > entry.priority) {
      entry.priority = priority;
      if (entry.isReady) entry.sequence = this.#sequence++;
    }
    if (entry.isReady) return;
    if (dueMs < entry.dueMs) {
      entry.dueMs = dueMs;
      entry.sequence = this.#sequence++;
    }
    if (delayMs === 0) this.#becomeReady(entry);
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const waiting = [...this.#entries.values(), ...this.#processing.values()].filter(
        (entry) => entry !== undefined && !entry.isReady && entry.dueMs <= untilMs,
      );
      if (waiting.length === 0) break;
      const next = waiting.reduce((a, b) => (isEarlier(b!, a!) ? b : a))!;
      this.#nowMs = next.dueMs;
      this.#becomeReady(next);
    }
    this.#nowMs = untilMs;
  }

  tryGet(): string | undefined {
    const ready = this.#ready();
    if (ready.length === 0) return undefined;
    const urgent = ready.reduce((a, b) => (isMoreUrgent(b, a) ? b : a));
    const oldest = ready.reduce((a, b) => (b.readySequence < a.readySequence ? b : a));
    const { item } = this.#isTurnOfTheOldest(urgent, oldest) ? oldest : urgent;
    this.#entries.delete(item);
    this.#processing.set(item, undefined);
    return item;
  }

  done(item: string): void {
    const again = this.#processing.get(item);
    this.#processing.delete(item);
    if (again === undefined) return;
    this.#entries.set(item, again);
    if (again.isReady) this.#becomeReady(again);
  }

  #enter(item: string, priority: number, dueMs: number, isHeld: boolean): ModelEntry {
    const sequence = this.#sequence++;
    const entry = { item, priority, dueMs, sequence, readySinceMs: 0, readySequence: 0, isReady: false };
    if (isHeld) this.#processing.set(item, entry);
    else this.#entries.set(item, entry);
    return entry;
  }

  #becomeReady(entry: ModelEntry): void {
    entry.isReady = true;
    entry.sequence = this.#sequence++;
    entry.readySequence = entry.sequence;
    entry.readySinceMs = this.#nowMs;
  }

  #ready(): ModelEntry[] {
    return [...this.#entries.values()].filter(({ isReady }) => isReady);
  }

  #isTurnOfTheOldest(urgent: ModelEntry, oldest: ModelEntry): boolean {
    if (this.#ageing === undefined) return false;
    const isPassed = oldest !== urgent && this.#nowMs - oldest.readySinceMs >= this.#ageing.afterMs;
    this.#passed = isPassed ? this.#passed + 1 : 0;
    if (this.#passed < this.#ageing.every) return false;
    this.#passed = 0;
    return true;
  }
}

function isEarlier(a: ModelEntry, b: ModelEntry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}

function isMoreUrgent(a: ModelEntry, b: ModelEntry): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.sequence < b.sequence);
}
