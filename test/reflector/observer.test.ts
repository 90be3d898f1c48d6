import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReflectorObserver, ReflectorOptions } from '../../src/reflector/index.ts';
import { ListReason } from '../../src/reflector/index.ts';
import { statusOf } from './fake-transport.ts';
import { setUp } from './set-up.ts';

const REASONS = Object.keys(ListReason);

/** What an observer was told, without contact. */
function observed(options: Partial<ReflectorOptions> = {}) {
  const told: string[] = [];
  const contacts: number[] = [];
  const received: number[] = [];
  const observer: ReflectorObserver = {
    contact: (nowMs) => void contacts.push(nowMs),
    received: (bytes) => void received.push(bytes),
    listStarted: (reason) => void told.push(`list ${REASONS[reason]}`),
    watchStarted: (isRewatch) => void told.push(isRewatch ? 'rewatch' : 'watch'),
    fellBack: () => void told.push('fellBack'),
    backingOff: (untilMs) => void told.push(`until ${untilMs}`),
    synced: () => void told.push('synced'),
  };
  const parts = setUp({ observer, ...options });
  parts.reflector.start();
  return { ...parts, told, contacts, received };
}

describe('ReflectorObserver', () => {
  it('is told how many bytes came', () => {
    const { transport, received } = observed();
    transport.last.list(['a', 'b'], '10');

    assert.ok(received.length > 0);
    assert.ok(received.every((bytes) => bytes > 0));
  });

  it('is told of lists and why they are made, of watches, and of waits', () => {
    const { transport, clock, told } = observed();
    transport.last.error();
    clock.advance(800);
    transport.last.list(['a'], '10', { continue: 't' });
    transport.last.refuse(410, 'Expired');
    transport.last.list(['a'], '10');
    clock.advance(1_000);
    transport.last.respond(200).bookmark('11').end();
    clock.advance(1_000);
    transport.last.respond(200).bookmark('12').event('ERROR', statusOf(410, 'Expired'));

    assert.deepEqual(told, [
      'list first',
      'until 800',
      'list first',
      'list page',
      'list again',
      'synced',
      'watch',
      'until 2800',
      'rewatch',
      'list relist',
    ]);
  });

  it('is told of a stream as of a list and a watch', () => {
    const { transport, told } = observed({ initialList: 'watchList' });
    transport.last.respond(200).added('a', '3').marker('9');
    assert.deepEqual(told, ['list first', 'synced', 'watch']);
  });

  it('is told when a list is used instead of a stream', () => {
    const { transport, told } = observed({ initialList: 'watchList' });
    transport.last.refuse(422, 'Invalid');
    transport.last.list([], '10');
    assert.deepEqual(told, ['list first', 'fellBack', 'list first', 'synced', 'watch']);
  });

  it('is told of contact at most four times a second', () => {
    const { transport, clock, contacts } = observed();
    clock.advance(10);
    transport.last.list(['a'], '10');
    transport.last.respond(200);
    for (let i = 0; i < 100; i++) {
      clock.advance(10);
      transport.last.bookmark('11');
    }
    clock.advance(60_000);
    transport.last.bookmark('12');

    assert.deepEqual(contacts, [10, 260, 510, 760, 1_010, 61_010]);
  });

  it('takes an error for contact, and a broken connection for none', () => {
    const { transport, clock, contacts } = observed();
    transport.last.error();
    clock.advance(800);
    assert.deepEqual(contacts, []);
    transport.last.refuse(503);
    assert.deepEqual(contacts, [800]);
  });
});
