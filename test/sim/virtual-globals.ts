/**
 * Puts a simulation's time, chance and turns in place of the process's own while it runs, so that nothing of the
 * product can escape it: a forgotten timer would make a seed that can't be replayed.
 */
import type { VirtualLoop } from './virtual-loop.ts';

type Callback = (...args: unknown[]) => void;

/** A turn of the event loop takes time, so that who waits in turns waits for a time. */
const TURN_MS = 0.01;

class VirtualTimer {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

/**
 * @param fraction - uniform in [0, 1), in place of Math.random
 * @returns gives the process its own back
 */
export function useVirtualGlobals(loop: VirtualLoop, fraction: () => number): () => void {
  const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
  const { random } = Math;
  const later = (delayMs: number, callback: Callback, args: unknown[]) =>
    new VirtualTimer(loop.later(delayMs, () => callback(...args)));
  const cancel = (timer: VirtualTimer | undefined) => timer?.cancel();
  Object.assign(globalThis, {
    // As Node does: whole milliseconds, and never none.
    setTimeout: (callback: Callback, delayMs = 0, ...args: unknown[]) =>
      later(Math.max(1, Math.trunc(delayMs)), callback, args),
    clearTimeout: cancel,
    setImmediate: (callback: Callback, ...args: unknown[]) => later(TURN_MS, callback, args),
    clearImmediate: cancel,
  });
  Math.random = fraction;
  Object.defineProperty(performance, 'now', { configurable: true, value: () => loop.look() });
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate, clearImmediate });
    Math.random = random;
    Reflect.deleteProperty(performance, 'now');
  };
}
