import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ConnectBudget,
  InvalidResourceError,
  Reflector,
  ReflectorStateError,
} from '../../src/reflector/index.ts';
import { FakeClock } from './fake-clock.ts';
import { listOf } from './fake-transport.ts';
import { setUp, watching } from './set-up.ts';

type Parts = ReturnType<typeof setUp>;

const situations: Record<string, (parts: Parts) => void> = {
  idle: () => {},
  'waiting for a list': ({ reflector }) => reflector.start(),
  'in the middle of a list': ({ reflector, transport }) => {
    reflector.start();
    transport.last.respond(200).data('{"kind":');
  },
  'waiting for space to begin': ({ reflector, transport, sink }) => {
    sink.room = 0;
    reflector.start();
    transport.last.reply(200, listOf(['a'], '10'));
  },
  'waiting for space to end': ({ reflector, transport, sink }) => {
    sink.room = 2;
    reflector.start();
    transport.last.list(['a'], '10');
  },
  'waiting for a watch': ({ reflector, transport }) => {
    reflector.start();
    transport.last.list([], '10');
  },
  watching: ({ reflector, transport }) => {
    reflector.start();
    transport.last.list([], '10');
    transport.last.respond(200).added('b', '11');
  },
  'paused in a watch': ({ reflector, transport, sink }) => {
    reflector.start();
    transport.last.list([], '10');
    sink.room = 0;
    transport.last.respond(200).added('b', '11');
  },
  'backing off': ({ reflector, transport }) => {
    reflector.start();
    transport.last.error();
  },
  'reading an error': ({ reflector, transport }) => {
    reflector.start();
    transport.last.respond(500);
  },
};

/** The same with `initialList: 'watchList'`. */
const streamSituations: typeof situations = {
  'waiting for a stream': ({ reflector }) => reflector.start(),
  'in the middle of a stream': ({ reflector, transport }) => {
    reflector.start();
    transport.last.respond(200).added('a', '3');
  },
  'waiting for space to begin a stream': ({ reflector, transport, sink }) => {
    sink.room = 0;
    reflector.start();
    transport.last.respond(200).added('a', '3');
  },
  'waiting for space to end a stream': ({ reflector, transport, sink }) => {
    sink.room = 2;
    reflector.start();
    transport.last.respond(200).added('a', '3').marker('9').added('b', '10');
  },
  'watching what was a stream': ({ reflector, transport }) => {
    reflector.start();
    transport.last.respond(200).marker('9').added('b', '10');
  },
};

const allSituations = [
  ...Object.entries(situations).map(([name, lead]) => ({ name, lead, options: {} })),
  ...Object.entries(streamSituations).map(([name, lead]) => ({
    name,
    lead,
    options: { initialList: 'watchList' } as const,
  })),
];

describe('Reflector.stop', () => {
  for (const { name, lead, options } of allSituations) {
    it(`ends everything when it is ${name}, and calls nothing afterwards`, () => {
      const parts = setUp(options);
      const { reflector, transport, sink, clock } = parts;
      lead(parts);
      reflector.stop();
      assert.equal(reflector.state, 'stopped');
      assert.equal(sink.states.at(-1), 'stopped');
      assert.equal(sink.open.size, 0);
      assert.equal(sink.onSpace, undefined);
      assert.equal(clock.pending, 0);

      const before = [transport.requests.length, sink.notices.length, sink.deltas.length];
      reflector.stop();
      sink.giveRoom();
      clock.advance(3_600_000);
      // A transport that tells something after an abort is wrong, but must do no harm.
      for (const request of transport.requests) {
        request.isAborted = false;
        request.respond(200).data('{}\n').end().error();
      }
      assert.deepEqual([transport.requests.length, sink.notices.length, sink.deltas.length], before);
    });
  }

  it('aborts the exchange', () => {
    const { reflector, watch } = watching();
    reflector.stop();
    assert.ok(watch.isAborted);
  });

  it('ends everything when it is waiting for the budget or for its start', () => {
    const clock = new FakeClock();
    const budget = new ConnectBudget({ clock, random: () => 0, firstBurst: 0 });
    budget.take(false);
    for (const options of [
      { clock, budget },
      { clock, startJitterMs: 1_000, random: () => 0.5 },
    ]) {
      const { reflector, transport, sink } = setUp(options);
      reflector.start();
      reflector.stop();
      clock.advance(60_000);

      assert.equal(transport.requests.length, 0);
      assert.equal(clock.pending, 0);
      assert.equal(sink.onSpace, undefined);
    }
  });

  it('can be called from within any notice', () => {
    for (let stopAt = 0; stopAt < 24; stopAt++) {
      const initialList = stopAt % 2 === 0 ? 'list' : 'watchList';
      const { reflector, sink, transport, clock } = setUp({ initialList });
      sink.onNotice = () => {
        if (sink.notices.length === Math.floor(stopAt / 2) + 1) reflector.stop();
      };
      const answers = [401, 410, 503, 200, 500, 410];
      transport.answer = (request) => {
        const code = answers.shift();
        if (code === 200 && request.isStream) request.respond(200).added('a', '3').marker('9');
        else if (code === 200) request.list(['a'], '10');
        else if (code !== undefined) request.refuse(code);
      };
      reflector.start();
      clock.advance(600_000);
      if (reflector.state !== 'stopped') continue;

      assert.equal(sink.notices.length, Math.floor(stopAt / 2) + 2, 'only the notice of the stop follows');
      assert.equal(sink.open.size, 0);
      assert.equal(clock.pending, 0);
      assert.equal(sink.onSpace, undefined);
    }
  });

  it('can be called before a transport has returned', () => {
    const { reflector, transport } = setUp();
    transport.answer = () => reflector.stop();
    reflector.start();

    assert.ok(transport.last.isAborted);
  });
});

describe('Reflector', () => {
  it('tells that it waits for its start', () => {
    const { reflector, sink, clock, transport } = setUp({ startJitterMs: 1_000, random: () => 0.5 });
    reflector.start();
    assert.throws(() => reflector.start(), ReflectorStateError);
    clock.advance(499);
    assert.deepEqual([transport.requests.length, sink.states], [0, ['backingOff']]);
    clock.advance(1);
    assert.deepEqual([transport.requests.length, sink.states], [1, ['backingOff', 'listing']]);
  });

  it('tells its states', () => {
    const { reflector, transport, sink, clock } = setUp();
    assert.equal(reflector.state, 'idle');
    reflector.start();
    transport.last.error();
    clock.advance(800);
    transport.last.list([], '10');
    reflector.stop();

    assert.deepEqual(sink.states, ['listing', 'backingOff', 'listing', 'watching', 'stopped']);
  });

  it('can be started once', () => {
    const { reflector } = setUp();
    reflector.start();
    assert.throws(() => reflector.start(), ReflectorStateError);
    reflector.stop();
    assert.throws(() => reflector.start(), { code: 'illegal-transition', message: /stopped can't start/ });
  });

  it('refuses a resource that has no URL', () => {
    const { clock, sink, transport } = setUp();
    for (const bad of [{ resource: '' }, { version: '..' }, { namespace: '' }, { group: '..' }]) {
      const resource = { group: '', version: 'v1', resource: 'pods', ...bad };
      assert.throws(
        () => new Reflector({ resource, clock, sink, transport, random: () => 0 }),
        InvalidResourceError,
      );
    }
  });

  it('names resource, group and namespace in errors', () => {
    const { reflector, transport, sink } = setUp({
      resource: { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'web' },
    });
    reflector.start();
    transport.last.error('reset');

    assert.match(
      sink.errors[0]!.message,
      /^list of deployments\.apps in namespace web failed: reset; next try in 0\.8 s$/,
    );
  });

  it('treats a reader that throws as a body that cannot be read', () => {
    const { reflector, transport, sink } = setUp();
    sink.openList = () => {
      throw new Error('out of memory');
    };
    reflector.start();
    transport.last.list([], '10');

    assert.deepEqual([sink.errors[0]!.code, reflector.state], ['reader-failed', 'backingOff']);
    assert.match(sink.errors[0]!.message, /out of memory/);
  });
});
