import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectBudget, Reflector } from '../../src/reflector/index.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeSink } from './fake-sink.ts';
import { FakeTransport } from './fake-transport.ts';
import { randomFrom, setUp } from './set-up.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const REFLECTORS = 200;
/** MAX_OPENS_PER_SECOND, and one more that falls on the first millisecond of a second that is not a calendar one. */
const MOST_PER_SECOND = 26;

function budgetOf(options: { opensPerSecond?: number; firstBurst?: number; random?: () => number } = {}) {
  const clock = new FakeClock();
  const budget = new ConnectBudget({ clock, random: () => 0, ...options });
  return { clock, budget };
}

/** Many reflectors of one worker, with one clock, one budget and one server. */
function fleet(seed: number, startJitterMs = 0) {
  const clock = new FakeClock();
  const random = randomFrom(seed);
  const transport = new FakeTransport();
  const budget = new ConnectBudget({ clock, random });
  const openedMs: number[] = [];
  transport.onOpen = () => openedMs.push(clock.now());
  const reflectors = Array.from({ length: REFLECTORS }, (_, i) => {
    const resource = { group: '', version: 'v1', resource: `r${i}` };
    const sink = new FakeSink();
    return new Reflector({ resource, transport, sink, clock, random, budget, startJitterMs });
  });
  const isUp = (request: FakeTransport['last']) =>
    void (request.isWatch ? request.respond(200).bookmark('11') : request.list(['a'], '10'));
  const isDown = (request: FakeTransport['last']) => void request.error('connect refused', 'connect-failed');
  return { clock, transport, budget, openedMs, reflectors, isUp, isDown };
}

/** The most that lie within any second. */
function mostPerSecond(timesMs: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < timesMs.length; last++) {
    while (timesMs[last]! - timesMs[first]! >= SECOND) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('ConnectBudget', () => {
  it('gives first requests from a burst, and all others one by one', () => {
    const { budget } = budgetOf({ firstBurst: 3 });
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => budget.take(true)),
      [true, true, true, true, false],
    );

    const other = budgetOf({ firstBurst: 3 }).budget;
    assert.deepEqual([other.take(false), other.take(false)], [true, false]);
  });

  it('calls those who wait in order, with gaps from one to two intervals', () => {
    for (const [random, gapMs] of [
      [0, 100],
      [0.5, 150],
    ] as const) {
      const { clock, budget } = budgetOf({ opensPerSecond: 10, random: () => random });
      const calls: [name: string, ms: number][] = [];
      assert.ok(budget.take(false));
      for (const name of ['a', 'b', 'c']) {
        assert.equal(budget.take(false), false);
        budget.wait(() => calls.push([name, clock.now()]));
      }
      clock.advance(SECOND);

      assert.deepEqual(calls, [
        ['a', gapMs],
        ['b', 2 * gapMs],
        ['c', 3 * gapMs],
      ]);
      assert.equal(clock.pending, 0);
    }
  });

  it('gives nobody a token before those who wait', () => {
    const { clock, budget } = budgetOf({ opensPerSecond: 10, firstBurst: 0 });
    budget.take(false);
    const order: string[] = [];
    budget.wait(() => {
      order.push('a');
      budget.wait(() => order.push('c'));
    });
    budget.wait(() => order.push('b'));
    clock.advance(100);
    assert.equal(budget.take(true), false);
    clock.advance(SECOND);

    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('lets nobody pass whose turn is now but who was not called yet', () => {
    const { clock, budget } = budgetOf({ opensPerSecond: 10 });
    budget.take(false);
    const taken: boolean[] = [];
    // Due before the budget's own timer, in the same millisecond.
    clock.setTimer(100, () => taken.push(budget.take(false)));
    budget.wait(() => taken.push(true));
    clock.advance(SECOND);

    assert.deepEqual(taken, [false, true]);
  });

  it('forgets those who cancel', () => {
    const { clock, budget } = budgetOf({ opensPerSecond: 10 });
    budget.take(false);
    const cancelled = budget.wait(() => assert.fail('it was cancelled'));
    let isCalled = false;
    const other = budget.wait(() => {
      isCalled = true;
    });
    cancelled();
    cancelled();
    assert.equal(budget.waiting, 1);
    clock.advance(100);
    assert.ok(isCalled);
    other();

    budget.wait(() => assert.fail('it was cancelled'))();
    assert.equal(clock.pending, 0);
  });

  it('has no burst for a minute after a failure, and fills it again with time', () => {
    const { clock, budget } = budgetOf({ opensPerSecond: 10, firstBurst: 5 });
    const burst = () => {
      let taken = 0;
      while (budget.take(true)) taken++;
      return taken;
    };
    budget.failed();
    assert.equal(burst(), 1, 'the one whose turn it is');
    clock.advance(30 * SECOND);
    budget.failed();
    clock.advance(MINUTE);
    assert.equal(burst(), 1);
    clock.advance(300);
    assert.equal(burst(), 4);
    clock.advance(MINUTE);
    assert.equal(burst(), 6);
  });
});

describe('Reflectors with one budget', () => {
  it('do not storm a server that comes back after five minutes, and are all synced soon (seed 7)', (t) => {
    const { clock, transport, openedMs, reflectors, isUp, isDown } = fleet(7);
    transport.answer = isUp;
    for (const reflector of reflectors) reflector.start();
    clock.advance(MINUTE);
    assert.ok(reflectors.every(({ state }) => state === 'watching'));

    openedMs.length = 0;
    transport.answer = isDown;
    for (const watch of transport.requests.filter(({ isWatch }) => isWatch)) watch.error();
    clock.advance(5 * MINUTE);
    const whileDown = mostPerSecond(openedMs);
    openedMs.length = 0;
    transport.answer = isUp;
    clock.advance(45 * SECOND);
    const afterwards = mostPerSecond(openedMs);

    t.diagnostic(`most requests per second: ${whileDown} while it is down, ${afterwards} when it is back`);
    assert.ok(whileDown <= MOST_PER_SECOND && afterwards <= MOST_PER_SECOND, `${whileDown}, ${afterwards}`);
    assert.ok(reflectors.every(({ state }) => state === 'watching'));
    assert.equal(transport.lists.length, REFLECTORS, 'they watch again, and do not list');
  });

  it('that start while the server is down do not storm it either (seed 8)', () => {
    const { clock, transport, openedMs, reflectors, isUp, isDown } = fleet(8);
    transport.answer = isDown;
    for (const reflector of reflectors) reflector.start();
    clock.advance(5 * MINUTE);
    transport.answer = isUp;
    clock.advance(MINUTE);

    assert.ok(mostPerSecond(openedMs) <= MOST_PER_SECOND, `${mostPerSecond(openedMs)}`);
    assert.ok(reflectors.every(({ state }) => state === 'watching'));
  });

  it('whose watches all expire do not list at the same time (seed 9)', () => {
    const { clock, transport, openedMs, reflectors, isUp } = fleet(9);
    transport.answer = isUp;
    for (const reflector of reflectors) reflector.start();
    clock.advance(MINUTE);
    openedMs.length = 0;
    for (const watch of transport.watches) watch.event('ERROR', { code: 410, reason: 'Expired' });
    clock.advance(MINUTE);

    assert.ok(mostPerSecond(openedMs) <= MOST_PER_SECOND, `${mostPerSecond(openedMs)}`);
    assert.equal(transport.lists.length, 2 * REFLECTORS);
    assert.ok(reflectors.every(({ state }) => state === 'watching'));
  });

  it('leave nothing behind when they are stopped while they wait (seed 10)', () => {
    const { clock, transport, budget, reflectors, isUp } = fleet(10);
    transport.answer = isUp;
    for (const reflector of reflectors) reflector.start();
    assert.ok(budget.waiting > 0);
    for (const reflector of reflectors) reflector.stop();

    assert.equal(budget.waiting, 0);
    assert.equal(clock.pending, 0);
  });

  it('start within the jitter that was asked for (seed 11)', () => {
    const { clock, transport, openedMs, reflectors } = fleet(11, 10_000);
    for (const reflector of reflectors) reflector.start();
    assert.equal(transport.requests.length, 0);
    assert.ok(reflectors.every(({ state }) => state === 'backingOff'));
    clock.advance(10_000);

    assert.equal(openedMs.length, REFLECTORS);
    assert.ok(new Set(openedMs).size > REFLECTORS / 2);
    assert.ok(mostPerSecond(openedMs) < REFLECTORS / 4);
  });

  it('take their first list and their first watch from the burst', () => {
    const { clock, budget } = budgetOf({ firstBurst: 6 });
    for (let i = 0; i < 3; i++) {
      const { transport, reflector } = setUp({ clock, budget });
      reflector.start();
      transport.last.list(['a'], '10');
      assert.equal(transport.watches.length, 1);
    }
    assert.equal(budget.waiting, 0);
    assert.deepEqual([budget.take(true), budget.take(true)], [true, false]);
  });

  it('take no token for further pages of a list', () => {
    const { clock, budget } = budgetOf({ firstBurst: 2 });
    const { transport, reflector } = setUp({ clock, budget });
    reflector.start();
    for (let page = 1; page < 10; page++) transport.last.list(['a'], '10', { continue: `t${page}` });
    transport.last.list(['a'], '10');

    assert.equal(transport.lists.length, 10);
    assert.equal(transport.watches.length, 1);
    assert.equal(budget.waiting, 0);
  });
});
