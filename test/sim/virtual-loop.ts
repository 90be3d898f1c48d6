/**
 * Time and threads of a simulation. All threads are this one: a task runs to its end, and then the next one that is due.
 * What a task starts belongs to its thread, and a thread does one thing after the other.
 */

/** One of the threads that are simulated. */
export class VirtualThread {
  readonly name: string;
  /** Nothing of it runs before. */
  busyUntilMs = 0;
  isDead = false;

  constructor(name: string) {
    this.name = name;
  }
}

interface Task {
  dueMs: number;
  /** Among tasks of one time the first that was made runs first. */
  readonly number: number;
  readonly thread: VirtualThread;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The real one: promises are settled between two tasks as between two turns of Node's event loop. */
const realImmediate = setImmediate;

/** Tasks of one `runUntil`: what needs more goes round in circles. */
const MAX_TASKS = 200_000;

export class VirtualLoop {
  nowMs = 0;
  /** Whose task runs, or ran last. */
  thread = new VirtualThread('nobody');
  /** Most time that passes while somebody looks at the clock, in milliseconds: a slow machine. */
  lookMs = 0;
  /** Tasks that ran so far. */
  count = 0;

  readonly #fraction: () => number;
  /** The next one last. */
  readonly #tasks: Task[] = [];
  #nextNumber = 1;
  /** Time that the running task has taken. */
  #spentMs = 0;

  /** @param fraction - uniform in [0, 1) */
  constructor(fraction: () => number) {
    this.#fraction = fraction;
  }

  /** What the running task sees when it looks at the clock. */
  look(): number {
    if (this.lookMs > 0) this.#spentMs += this.#fraction() * this.lookMs;
    return this.nowMs + this.#spentMs;
  }

  /**
   * Runs something later.
   *
   * @returns cancels it
   */
  later(delayMs: number, run: () => void, thread = this.thread): () => void {
    const dueMs = this.nowMs + this.#spentMs + Math.max(0, delayMs);
    const task: Task = { dueMs, number: this.#nextNumber++, thread, run, isCancelled: false };
    this.#insert(task);
    return () => {
      task.isCancelled = true;
    };
  }

  /** Tasks that wait, of one thread or of all. */
  pending(thread?: VirtualThread): number {
    return this.#tasks.filter(
      (task) => !task.isCancelled && !task.thread.isDead && (thread ?? task.thread) === task.thread,
    ).length;
  }

  /** Runs something as a task of a thread, now. */
  async runAs(thread: VirtualThread, run: () => void): Promise<void> {
    this.#run(thread, run);
    await settlePromises();
  }

  /** Lets time pass. Rejects with what a task throws. */
  async runUntil(untilMs: number): Promise<void> {
    const maxCount = this.count + MAX_TASKS;
    for (let task = this.#next(untilMs); task !== undefined; task = this.#next(untilMs)) {
      if (this.count > maxCount) throw new Error(`more than ${MAX_TASKS} tasks until ${untilMs} ms`);
      this.nowMs = Math.max(this.nowMs, task.dueMs);
      this.#run(task.thread, task.run);
      await settlePromises();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Time passes and nothing runs meanwhile, as when a machine sleeps. */
  jump(ms: number): void {
    this.nowMs += ms;
  }

  #run(thread: VirtualThread, run: () => void): void {
    this.count++;
    this.thread = thread;
    this.#spentMs = 0;
    try {
      run();
    } finally {
      thread.busyUntilMs = this.nowMs + this.#spentMs;
      this.#spentMs = 0;
    }
  }

  #next(untilMs: number): Task | undefined {
    for (let task = this.#tasks.at(-1); task !== undefined; task = this.#tasks.at(-1)) {
      if (task.dueMs > untilMs) return undefined;
      this.#tasks.pop();
      if (task.isCancelled || task.thread.isDead) continue;
      if (task.thread.busyUntilMs <= Math.max(task.dueMs, this.nowMs)) return task;
      task.dueMs = task.thread.busyUntilMs;
      this.#insert(task);
    }
    return undefined;
  }

  #insert(task: Task): void {
    let low = 0;
    let high = this.#tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(task, this.#tasks[middle]!)) low = middle + 1;
      else high = middle;
    }
    this.#tasks.splice(low, 0, task);
  }
}

function isBefore(task: Task, other: Task): boolean {
  return task.dueMs < other.dueMs || (task.dueMs === other.dueMs && task.number < other.number);
}

function settlePromises(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}
