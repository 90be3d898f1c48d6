import type { ReflectorOptions } from '../../src/reflector/index.ts';
import { Reflector } from '../../src/reflector/index.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeSink } from './fake-sink.ts';
import { FakeTransport } from './fake-transport.ts';

export function setUp(options: Partial<ReflectorOptions> = {}) {
  const clock = new FakeClock();
  const transport = new FakeTransport();
  const sink = new FakeSink();
  const reflector = new Reflector({
    resource: { group: '', version: 'v1', resource: 'pods' },
    transport,
    sink,
    clock,
    random: () => 0,
    ...options,
  });
  return { clock, transport, sink, reflector };
}

/** A reflector that listed version 10 and whose watch is open. */
export function watching(options: Partial<ReflectorOptions> = {}) {
  const parts = setUp(options);
  parts.reflector.start();
  parts.transport.last.list(['a'], '10');
  parts.transport.last.respond(200);
  return { ...parts, watch: parts.transport.last };
}

/** A reflector that asked for a stream of initial events and got a response. */
export function streaming(options: Partial<ReflectorOptions> = {}) {
  const parts = setUp({ initialList: 'watchList', ...options });
  parts.reflector.start();
  return { ...parts, stream: parts.transport.last.respond(200) };
}

/** Pseudo-random numbers in [0, 1) that a seed repeats. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
