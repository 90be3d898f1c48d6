import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listOf, statusOf } from './fake-transport.ts';
import { setUp, watching } from './set-up.ts';

const HOUR = 3_600_000;

describe('Reflector with a full sink', () => {
  it('pauses the socket of a list, and goes on when there is space', () => {
    const { transport, sink, reflector } = setUp();
    sink.room = 2;
    reflector.start();
    const list = transport.last.respond(200).data(JSON.stringify(listOf(['a', 'b', 'c'], '10')));
    assert.ok(list.isPaused);
    assert.deepEqual(sink.deltas, ['begin', 'item a']);

    sink.giveRoom(1);
    assert.ok(list.isPaused);
    sink.giveRoom();
    assert.ok(!list.isPaused);
    list.end();
    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'item c', 'end 10']);
  });

  it('waits for space to begin a Replace, and keeps what came meanwhile', () => {
    const { transport, sink, reflector } = setUp();
    sink.room = 0;
    reflector.start();
    const list = transport.last.reply(200, listOf(['a'], '10'));
    assert.ok(list.isPaused);
    assert.deepEqual(sink.deltas, []);

    sink.giveRoom();
    assert.deepEqual(sink.deltas, ['begin', 'item a', 'end 10']);
  });

  it('waits for space to end a Replace, and watches only then', () => {
    const { transport, sink, reflector } = setUp();
    sink.room = 2;
    reflector.start();
    transport.last.list(['a'], '10');
    assert.equal(reflector.state, 'listing');
    assert.equal(reflector.lastSyncResourceVersion, '');
    sink.giveRoom(0);
    assert.equal(transport.requests.length, 1);

    sink.giveRoom();
    assert.equal(reflector.lastSyncResourceVersion, '10');
    assert.equal(reflector.state, 'watching');
  });

  it('pauses a watch, and lets no limit run meanwhile', () => {
    const { watch, sink, clock, reflector } = watching();
    sink.room = 1;
    watch.added('b', '11').added('c', '12');
    assert.ok(watch.isPaused);
    assert.equal(reflector.lastSyncResourceVersion, '11');
    clock.advance(HOUR);
    assert.ok(!watch.isAborted);

    sink.giveRoom();
    assert.ok(!watch.isPaused);
    assert.equal(reflector.lastSyncResourceVersion, '12');
    clock.advance(179_999);
    assert.ok(!watch.isAborted);
    clock.advance(1);
    assert.ok(watch.isAborted);
  });

  for (const end of ['end', 'error'] as const) {
    it(`reads what is left of a watch that got an ${end} meanwhile, and watches from there`, () => {
      const { transport, watch, sink } = watching();
      sink.room = 1;
      watch.added('b', '11').added('c', '12').added('d', '13')[end]();
      assert.equal(transport.watches.length, 1);
      sink.giveRoom(1);
      assert.equal(transport.watches.length, 1);
      sink.giveRoom();

      assert.deepEqual(sink.deltas.slice(3), ['ADDED b', 'ADDED c', 'ADDED d']);
    });
  }

  it('lists when the version of a watch that ended meanwhile has expired', () => {
    const { transport, watch, sink, clock } = watching();
    sink.room = 0;
    watch.added('b', '11').end();
    clock.advance(HOUR);
    sink.giveRoom();
    transport.last.respond(200).event('ERROR', statusOf(410, 'Expired'));
    clock.advance(800);

    assert.equal(transport.last.isWatch, false);
    assert.equal(transport.last.query('resourceVersion'), '11');
  });

  it('does nothing about space that it does not wait for', () => {
    const { transport, sink, watch } = watching();
    sink.giveRoom();

    assert.equal(transport.last, watch);
    assert.ok(!watch.isPaused);
  });

  it('keeps the socket of a list that was read before its response ended', () => {
    const { transport, reflector } = setUp();
    reflector.start();
    const list = transport.last.respond(200).data(JSON.stringify(listOf([], '10')));
    assert.equal(transport.requests.length, 1);
    list.data('\n').end();

    assert.ok(!list.isAborted);
    assert.equal(transport.last.isWatch, true);
  });
});
