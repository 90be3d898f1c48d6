/** Time for what runs beside a controller: injected, so that tests own it. */
import type { Clock } from '../reflector/index.ts';

/** A clock that also knows the date. Durations are measured with `now`, dates are only for people to read. */
export interface DatedClock extends Clock {
  /** Milliseconds since 1970, as Date.now. May jump. */
  epochMs(): number;
}

/**
 * The clock of this process.
 *
 * @param keepsAlive - whether a process goes on that has nothing left but a timer of this clock
 */
export function systemClock(keepsAlive: boolean): DatedClock {
  return {
    now: () => performance.now(),
    epochMs: () => Date.now(),
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      if (!keepsAlive) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves after a time, or as soon as the signal aborts. Never rejects: whoever cares looks at the signal. */
export function sleep(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => {
    cancel();
    signal.removeEventListener('abort', wake);
    resolve();
  };
  const cancel = clock.setTimer(durationMs, wake);
  signal.addEventListener('abort', wake);
  return promise;
}

/** A request took longer than it may. What it was to do may have happened all the same. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';
  readonly code = 'KUBERING_REQUEST_TIMEOUT';
}

/**
 * Runs a request for a limited time, also one that does not listen to its signal.
 *
 * @param request - gets a signal that aborts at the limit, or when `signal` does
 * @throws RequestTimeoutError at the limit, the reason of `signal`, or what the request throws
 */
export function withLimit<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const controller = new AbortController();
  const give = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const giveUp = () => give(signal.reason);
  const cancel = clock.setTimer(limitMs, () => {
    const message = `no answer from the API server in ${limitMs / 1000} s; check that it can be reached`;
    give(new RequestTimeoutError(message));
  });
  signal.addEventListener('abort', giveUp);
  start(request, controller.signal).then(resolve, reject);
  const tidy = () => {
    cancel();
    signal.removeEventListener('abort', giveUp);
  };
  promise.then(tidy, tidy);
  return promise;
}

/** So that a request that throws at once rejects like others. */
async function start<T>(request: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return request(signal);
}
