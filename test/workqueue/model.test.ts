/** The queues against models that are too simple to be wrong, with several producers and consumers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DelayingQueue, PriorityQueue } from '../../src/workqueue/index.ts';
import { FakeClock } from '../reflector/fake-clock.ts';
import { randomFrom } from '../reflector/set-up.ts';
import { drain, settle, watch } from './helpers.ts';
import { ModelPriorityQueue } from './model-priority-queue.ts';
import { type ConsumerState, ModelQueue } from './model-queue.ts';

/** Each step of a run with promises takes a turn of the event loop. */
const PROMISE_SEEDS = 50;
const SEEDS = 200;
const STEPS = 300;
const CONSUMERS = 4;
/** Few, so that they meet. */
const KEYS = 12;

describe('DelayingQueue beside a model', () => {
  it(`loses no item, gives none to two consumers at once, and keeps the order (seeds 1 to ${PROMISE_SEEDS})`, async () => {
    for (let seed = 1; seed <= PROMISE_SEEDS; seed++) await new DelayingRun(seed).run();
  });
});

describe('PriorityQueue beside a model', () => {
  it(`hands out what priorities, delays and age say (seeds 1 to ${SEEDS})`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) runPriorities(seed);
  });
});

/** One seed: each step is done with both the queue and the model, and then they must agree. */
class DelayingRun {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #clock = new FakeClock();
  readonly #queue = new DelayingQueue({ clock: this.#clock });
  readonly #model = new ModelQueue(CONSUMERS);
  /** What `get` gave to each consumer; undefined for those that are idle. */
  readonly #got: (ReturnType<typeof watch<string | undefined>> | undefined)[] = new Array(CONSUMERS).fill(
    undefined,
  );
  readonly #aborts: AbortController[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#produceOrConsume();
      await this.#compare(`step ${step}`);
    }
    const drained = watch(this.#queue.shutDownWithDrain());
    this.#model.shutDown();
    await this.#compare('shut-down');
    for (let step = 0; !this.#model.isDrained; step++) {
      assert.equal(drained.outcome, 'waiting', `seed ${this.#seed}`);
      this.#consume(step % CONSUMERS);
      await this.#compare(`drain ${step}`);
    }
    assert.equal(drained.outcome, undefined, `seed ${this.#seed}`);
  }

  #produceOrConsume(): void {
    const item = `item-${this.#below(KEYS)}`;
    const amount = this.#below(20);
    switch (this.#below(8)) {
      case 0:
      case 1:
      case 2:
        this.#queue.add(item);
        this.#model.add(item);
        return;
      case 3:
        this.#queue.addAfter(item, amount);
        this.#model.addAfter(item, amount);
        return;
      case 4:
        this.#clock.advance(amount);
        this.#model.advance(amount);
        return;
      default:
        this.#consume(this.#below(CONSUMERS));
    }
  }

  /** An idle consumer waits, one that has an item ends it, and one that waits sometimes gives up. */
  #consume(id: number): void {
    const state = this.#model.consumers[id]!;
    if (state === 'waiting') {
      if (this.#random() < 0.7) return;
      this.#aborts[id]!.abort();
      this.#model.abort(id);
      this.#got[id] = undefined;
    } else if (typeof state === 'object') {
      this.#queue.done(state.item);
      this.#model.done(id);
      this.#got[id] = undefined;
    } else {
      const controller = new AbortController();
      this.#aborts[id] = controller;
      this.#got[id] = watch(this.#queue.get({ signal: controller.signal }));
      this.#model.get(id);
    }
  }

  async #compare(step: string): Promise<void> {
    await settle();
    const where = `seed ${this.#seed}, ${step}`;
    assert.deepEqual(this.#got.map(stateOf), this.#model.consumers, where);
    assert.equal(this.#queue.len, this.#model.len, where);
    assert.equal(this.#queue.waiting, this.#model.waiting, where);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function stateOf(got: { outcome: string | undefined } | undefined): ConsumerState {
  if (got === undefined) return 'idle';
  if (got.outcome === undefined) return 'ended';
  return got.outcome === 'waiting' ? 'waiting' : { item: got.outcome };
}

function runPriorities(seed: number): void {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const ageing = seed % 2 === 0 ? undefined : { afterMs: below(50), every: 1 + below(4) };
  const clock = new FakeClock();
  const queue = new PriorityQueue({ clock, ageing: ageing ?? false });
  const model = new ModelPriorityQueue(ageing);
  const held: string[] = [];

  for (let step = 0; step < STEPS; step++) {
    const where = `seed ${seed}, step ${step}`;
    const kind = below(8);
    if (kind < 4) {
      const item = `item-${below(KEYS)}`;
      const after = Math.max(0, below(40) - 20);
      const priority = below(3);
      queue.add(item, { after, priority });
      model.add(item, after, priority);
    } else if (kind < 5) {
      const ms = below(20);
      clock.advance(ms);
      model.advance(ms);
    } else if (kind < 7 && held.length < CONSUMERS) {
      const item = queue.tryGet();
      assert.equal(item, model.tryGet(), where);
      if (item !== undefined) held.push(item);
    } else if (held.length > 0) {
      const [item] = held.splice(below(held.length), 1);
      queue.done(item!);
      model.done(item!);
    }
    assert.equal(queue.len, model.len, where);
    assert.equal(queue.waiting, model.waiting, where);
  }
  for (const item of held) {
    queue.done(item);
    model.done(item);
  }
  clock.advance(1_000);
  model.advance(1_000);
  assert.deepEqual(drain(queue), drain(model), `seed ${seed}, at the end`);
}
