import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { InformerEvent } from '../../src/informer/event.ts';
import type { HandlerOptions } from '../../src/informer/handler-options.ts';
import type { Handler } from '../../src/informer/handlers.ts';
import type { Registration } from '../../src/informer/registration.ts';
import { Random } from '../../src/testing/random.ts';
import { Harness, type Thing, thing } from './harness.ts';

const EVENTS = 100_000;
const HANDLERS = 50;
const KEYS = 400;

describe('hammer', () => {
  const seed = Number(process.env.HAMMER_SEED ?? 20261130);

  it(`${HANDLERS} handlers that come and go see a gapless history of each key (HAMMER_SEED=${seed})`, async () => {
    const source = new Random(seed);
    const random = (below: number) => source.below(below);
    const harness = new Harness();
    const errors: string[] = [];
    harness.informer.on('error', ({ message }) => errors.push(message));
    const world = new World(harness, random);
    const watchers: Watcher[] = [];
    let mostBlocks = 0;
    world.list();
    for (let events = 0; events < EVENTS; ) {
      events += world.change(1 + random(40));
      if (random(400) === 0) world.list();
      if (random(3) === 0) harness.workSlices(1 + random(60));
      else harness.work();
      if (random(8) === 0) comeAndGo(harness, world, watchers, random);
      if (random(3) === 0) moveSome(harness, random, 1 + random(30));
      if (random(4) === 0) await turn();
      mostBlocks = Math.max(mostBlocks, harness.live.size);
      assert.deepEqual(errors, []);
    }
    harness.work();
    for (const watcher of watchers) await watcher.assertCaughtUp();

    assert.ok(watchers.length > 10);
    assert.ok(harness.informer.stats.moves > 1000, `${harness.informer.stats.moves} blocks were moved`);
    // At most its own old and new state for each key of the few watchers that lag, and a batch.
    assert.ok(mostBlocks < 20 * KEYS, `${mostBlocks} blocks`);
    for (const { registration } of watchers) await registration.remove();
    assert.equal(harness.live.size, world.states.size);
    assert.equal(harness.informer.stats.heldBytes, 0);
    assert.equal(harness.informer.stats.handlers, 0);
  });
});

/** What an API server would have, and how each state came about. */
class World {
  readonly states = new Map<string, number>();
  /** The version before, of each version that was an update or a delete. */
  readonly before = new Map<number, number>();
  #version = 1;
  #uids = new Map<string, number>();

  readonly #harness: Harness;
  readonly #random: (below: number) => number;

  constructor(harness: Harness, random: (below: number) => number) {
    this.#harness = harness;
    this.#random = random;
  }

  change(count: number): number {
    for (let i = 0; i < count; i++) {
      const key = `a/n${this.#random(KEYS)}`;
      const exists = this.states.has(key);
      if (!exists) this.#harness.added(this.#next(key));
      else if (this.#random(10) > 0) this.#harness.modified(this.#next(key));
      else this.#harness.deleted(this.#deleted(key));
    }
    return count;
  }

  /** A relist: while nobody watched, a few objects changed, came and went. */
  list(): void {
    const { states } = this;
    for (let i = 0; i < 10; i++) {
      const key = `a/n${this.#random(KEYS)}`;
      if (states.has(key) && this.#random(3) === 0) this.#deleted(key);
      else this.#next(key);
    }
    const things = [...states].map(([key, version]) => this.#thing(key, version));
    this.#harness.list(things, String(++this.#version));
  }

  #next(key: string): Thing {
    const version = ++this.#version;
    const old = this.states.get(key);
    if (old === undefined) this.#uids.set(key, version);
    else this.before.set(version, old);
    this.states.set(key, version);
    return this.#thing(key, version);
  }

  #deleted(key: string): Thing {
    const version = ++this.#version;
    this.before.set(version, this.states.get(key)!);
    this.states.delete(key);
    return this.#thing(key, version);
  }

  #thing(key: string, version: number): Thing {
    return thing(key, version, { uid: `${key}-${this.#uids.get(key)}` });
  }
}

/** One handler, which checks each event against what it saw before. */
class Watcher {
  readonly registration: Registration;
  readonly #seen = new Map<string, number>();
  readonly #world: World;
  #mayMerge: boolean;

  constructor(harness: Harness, world: World, kind: number, options: HandlerOptions<Thing>) {
    this.#world = world;
    // Only those that lag get merged events; what is told directly shows every single step.
    this.#mayMerge = kind > 0;
    const check = (event: InformerEvent<Thing>) => this.#check(event);
    const handlers: Handler<Thing>[] = [
      { onEvent: check },
      { onEvent: async (event) => check(event) },
      { onBatch: (events) => events.forEach(check) },
      {
        async onBatch(events) {
          await turn();
          events.forEach(check);
        },
      },
      {
        async onEvent(event) {
          check(event);
          await turn();
        },
      },
    ];
    this.registration = harness.informer.addEventHandler(handlers[kind]!, options);
  }

  #check(event: InformerEvent<Thing>): void {
    const { type, key } = event;
    const version = Number(event.resourceVersion);
    const last = this.#seen.get(key);
    if (type === 'add') {
      assert.equal(last, undefined, `${key} was added twice`);
      this.#seen.set(key, version);
      return;
    }
    assert.notEqual(last, undefined, `${type} of ${key}, which was never added`);
    if (type === 'delete') {
      // A list that no longer has an object gives its last known state.
      const isLastState = version === last || this.#world.before.get(version) === last;
      assert.ok(isLastState || this.#mayMerge, `${key} was deleted at ${version}, after ${last} was seen`);
      this.#seen.delete(key);
      return;
    }
    assert.equal(Number(event.oldRef!.resourceVersion), last, `${key} was updated from what was not seen`);
    this.#seen.set(key, version);
  }

  async assertCaughtUp(): Promise<void> {
    const { registration } = this;
    await registration.synced;
    while (registration.backlog > 0) await turn();
    for (let i = 0; i < 10; i++) await turn();
    assert.deepEqual([...this.#seen].sort(), [...this.#world.states].sort());
  }
}

/** Blocks of the store, of the queue, and some that handlers still have to see. */
function moveSome(harness: Harness, random: (below: number) => number, count: number): void {
  const blocks = [...harness.live.values()];
  for (let i = 0; i < count; i++) {
    const block = blocks[random(blocks.length)]!;
    if (harness.isObject(block)) harness.move(block);
  }
}

function comeAndGo(
  harness: Harness,
  world: World,
  watchers: Watcher[],
  random: (below: number) => number,
): void {
  if (watchers.length >= HANDLERS || (watchers.length > 5 && random(2) === 0)) {
    const [gone] = watchers.splice(random(watchers.length), 1);
    void gone!.registration.remove();
    return;
  }
  const kind = random(5);
  const isBatch = kind === 2 || kind === 3;
  watchers.push(
    new Watcher(harness, world, kind, {
      backlogLimit: 1 + random(200),
      maxBatch: 1 + random(50),
      concurrency: !isBatch && random(2) === 0 ? 'per-key' : 'serial',
      maxInFlight: 1 + random(8),
    }),
  );
}
