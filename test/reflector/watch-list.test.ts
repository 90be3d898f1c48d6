import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusOf } from './fake-transport.ts';
import { setUp, streaming, watching } from './set-up.ts';

const MINUTE = 60_000;

describe('Reflector with a stream of initial events', () => {
  it('asks for them, the first time at the latest state', () => {
    const { stream } = streaming({ labelSelector: 'app=a' });

    assert.equal(stream.path, '/api/v1/pods');
    assert.deepEqual(Object.fromEntries(new URLSearchParams(stream.request.path.split('?')[1])), {
      watch: '1',
      labelSelector: 'app=a',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '300',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
  });

  it('hands them on as one Replace, and goes on with the same stream', () => {
    const { stream, sink, reflector, transport } = streaming();
    stream.added('a', '7').added('b', '3');
    assert.equal(reflector.state, 'initialStream');
    stream.marker('9').added('c', '11').bookmark('12');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'end 9', 'ADDED c', 'BOOKMARK 12']);
    assert.deepEqual(sink.states, ['initialStream', 'watching']);
    assert.equal(reflector.lastSyncResourceVersion, '12');
    assert.equal(transport.requests.length, 1);
    assert.deepEqual(sink.errors, []);
  });

  it('applies what changes before the marker', () => {
    const { stream, sink } = streaming();
    stream
      .added('a', '3')
      .added('b', '4')
      .event('MODIFIED', { metadata: { name: 'a', resourceVersion: '6' } })
      .event('DELETED', { metadata: { name: 'b', resourceVersion: '7' } })
      .marker('7');

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'item b', 'item a', 'delete b', 'end 7']);
  });

  it('is synced by a bookmark whose annotation is the text true, and by no other', () => {
    const { stream, sink, reflector } = streaming();
    stream.added('a', '3').bookmark('4');
    for (const value of ['false', 'True', '', true, 1]) stream.marker('5', value);
    assert.equal(reflector.state, 'initialStream');
    assert.deepEqual(sink.deltas, ['begin', 'item a']);

    stream.marker('6');
    assert.equal(reflector.state, 'watching');
  });

  it('takes no version from events before the marker', () => {
    const { stream, reflector } = streaming();
    stream.added('a', '100').event('MODIFIED', { metadata: { name: 'a', resourceVersion: '101' } });
    assert.equal(reflector.lastSyncResourceVersion, '');
    stream.marker('50');
    assert.equal(reflector.lastSyncResourceVersion, '50');
  });

  it('is synced to an empty collection', () => {
    const { stream, sink } = streaming();
    stream.marker('9');
    assert.deepEqual(sink.deltas, ['begin', 'end 9']);
  });

  it('watches from the last version when the stream ends later, without initial events', () => {
    const { stream, transport, clock } = streaming();
    stream.added('a', '3').marker('9').added('b', '11');
    clock.advance(MINUTE);
    stream.end();

    assert.equal(transport.last.isStream, false);
    assert.equal(transport.last.query('resourceVersion'), '11');
    assert.equal(transport.lists.length, 0);
  });

  it('streams again from the last version when that has expired', () => {
    const { stream, transport, sink } = streaming();
    stream.added('a', '3').marker('9').added('b', '11').event('ERROR', statusOf(410, 'Expired'));
    assert.equal(transport.last.isStream, true);
    assert.equal(transport.last.query('resourceVersion'), '11');
    transport.last.respond(200).added('b', '11').marker('20');

    assert.deepEqual(sink.deltas.slice(-3), ['begin', 'item b', 'end 20']);
    assert.deepEqual(sink.states, ['initialStream', 'watching', 'initialStream', 'watching']);
  });

  it('does not take initial events for proof of a good watch', () => {
    const { stream, sink, transport } = streaming();
    stream.added('a', '3').added('b', '4').marker('9').end();

    assert.deepEqual([sink.errors[0]!.code, sink.errors[0]!.retryInMs], ['short-watch', 800]);
    assert.equal(transport.requests.length, 1);
  });

  it('does not count the time of initial events as that of a good watch', () => {
    const { stream, sink, clock } = streaming();
    for (let second = 0; second < 90; second++) {
      stream.added('a', '3');
      clock.advance(1_000);
    }
    stream.marker('9').end();

    assert.equal(sink.errors[0]!.retryInMs, 800);
  });

  it('waits for the next event as long as any watch, once it is synced', () => {
    const { stream, clock, sink } = streaming();
    stream.marker('9');
    clock.advance(3 * MINUTE - 1);
    assert.ok(!stream.isAborted);
    clock.advance(1);
    assert.ok(stream.isAborted);
    assert.equal(sink.errors[0]!.code, 'idle-timeout');
    assert.match(sink.errors[0]!.message, /^watch of pods failed/);
  });

  it('tells how far it came', () => {
    const { stream, sink, clock } = streaming();
    stream.added('a', '1');
    clock.advance(300);
    stream.added('b', '2').added('c', '3').marker('9');
    const items = sink.notices.filter((notice) => notice.type === 'progress').map(({ items }) => items);

    assert.deepEqual(items, [0, 2, 3]);
  });

  it('lists the first time and streams later, when it is to choose', () => {
    const { transport, watch } = watching({ initialList: 'auto' });
    watch.added('b', '12').event('ERROR', statusOf(410, 'Expired'));

    assert.equal(transport.last.isStream, true);
    assert.equal(transport.last.query('resourceVersion'), '12');
  });

  it('takes a marker without a version for a body that cannot be read', () => {
    const { stream, sink, reflector } = streaming();
    stream.added('a', '3').marker('');

    assert.deepEqual([sink.errors[0]!.code, reflector.state], ['reader-failed', 'backingOff']);
    assert.ok(!sink.deltas.some((delta) => delta.startsWith('end')));
  });
});

describe('Reflector with a stream of initial events and a full sink', () => {
  it('pauses the socket, and goes on when there is space', () => {
    const { stream, sink, transport } = streaming();
    sink.room = 1;
    stream.added('b', '4').added('c', '5');
    assert.ok(stream.isPaused);
    sink.giveRoom();
    assert.ok(!stream.isPaused);
    assert.deepEqual(sink.deltas, ['begin', 'item b', 'item c']);
    assert.equal(transport.requests.length, 1);
  });

  it('waits for space to begin the Replace', () => {
    const { reflector, transport, sink } = setUp({ initialList: 'watchList' });
    sink.room = 0;
    reflector.start();
    const stream = transport.last.respond(200).added('a', '3').marker('9');
    assert.ok(stream.isPaused);
    sink.giveRoom();

    assert.deepEqual(sink.deltas, ['begin', 'item a', 'end 9']);
  });

  it('waits for space to end the Replace, and reads on only then', () => {
    const { stream, sink, reflector } = streaming();
    sink.room = 1;
    stream.added('a', '3');
    stream.marker('9').added('b', '10');
    assert.equal(reflector.state, 'initialStream');
    assert.equal(reflector.lastSyncResourceVersion, '');
    sink.giveRoom(0);
    assert.equal(reflector.state, 'initialStream');

    sink.giveRoom();
    assert.deepEqual(sink.deltas, ['begin', 'item a', 'end 9', 'ADDED b']);
    assert.equal(reflector.lastSyncResourceVersion, '10');
  });

  for (const end of ['end', 'error'] as const) {
    it(`ends the Replace of a stream that got an ${end} meanwhile, and watches from there`, () => {
      const { stream, sink, transport, clock } = streaming();
      sink.room = 1;
      stream.added('a', '3').marker('9').added('b', '10')[end]();
      assert.equal(transport.requests.length, 1);
      sink.giveRoom();
      clock.advance(1_000);

      assert.deepEqual(sink.deltas, ['begin', 'item a', 'end 9', 'ADDED b']);
      assert.equal(transport.last.query('resourceVersion'), '10');
    });
  }

  it('lets no limit run meanwhile', () => {
    const { stream, sink, clock } = streaming();
    clock.advance(20_000);
    sink.room = 0;
    stream.added('a', '3');
    clock.advance(60 * MINUTE);
    assert.ok(!stream.isAborted);
    sink.giveRoom();

    // 100 s are left of the time for initial events.
    for (let second = 0; second < 99; second++) {
      clock.advance(1_000);
      stream.added('a', '3');
    }
    assert.ok(!stream.isAborted);
    clock.advance(1_000);
    assert.ok(stream.isAborted);
  });
});
