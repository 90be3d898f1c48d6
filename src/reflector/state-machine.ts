import type { ReflectorState } from './types.ts';

/** What moves a Reflector from one state to another. */
export type ReflectorEvent =
  | 'start'
  | 'stream'
  | 'listed'
  | 'relist'
  | 'rewatch'
  | 'backOff'
  | 'retryList'
  | 'retryWatch'
  | 'stop';

/**
 * The states of a Reflector and what leads from one to another; what is not in the table can't happen.
 *
 * ```
 *           start             listed
 *   idle ──────────▶ listing ──────────▶ watching ◀─┐
 *                    ▲  │  ▲                │  │ └──┘ rewatch: the stream ended, go on from the last RV
 *            relist: │  │  └──── relist ────┘  │      relist from watching: the last RV has expired
 *      another page, └──┤                      │ backOff
 *      a fallback, new  │ backOff              ▼
 *      credentials      └────────────────▶ backingOff ── retryList ──▶ listing
 *                                              └──────── retryWatch ─▶ watching
 *           stream
 *   idle ──────────▶ initialStream ─┬─ listed ──▶ watching      the marker came, the same stream goes on
 *   watching ──────▶                ├─ stream ──▶ initialStream at the latest state, or with new credentials
 *   backingOff ────▶                ├─ relist ──▶ listing       the server can't do this
 *                                   └─ backOff ─▶ backingOff
 *
 *   backOff leads from idle to backingOff as well: a random delay before the start.
 *   stop leads from everywhere to stopped, and nothing leads out of it.
 * ```
 */
const TABLE: Readonly<Record<ReflectorState, Readonly<Partial<Record<ReflectorEvent, ReflectorState>>>>> = {
  idle: { start: 'listing', stream: 'initialStream', backOff: 'backingOff', stop: 'stopped' },
  listing: { listed: 'watching', relist: 'listing', backOff: 'backingOff', stop: 'stopped' },
  initialStream: {
    listed: 'watching',
    stream: 'initialStream',
    relist: 'listing',
    backOff: 'backingOff',
    stop: 'stopped',
  },
  watching: {
    rewatch: 'watching',
    relist: 'listing',
    stream: 'initialStream',
    backOff: 'backingOff',
    stop: 'stopped',
  },
  backingOff: { retryList: 'listing', retryWatch: 'watching', stream: 'initialStream', stop: 'stopped' },
  stopped: { stop: 'stopped' },
};

/** A Reflector was asked for something that its state does not allow, for example to start twice. */
export class ReflectorStateError extends Error {
  readonly code = 'illegal-transition';

  constructor(state: ReflectorState, event: ReflectorEvent) {
    super(`a Reflector that is ${state} can't ${event}; make a new Reflector for a new start`);
    this.name = 'ReflectorStateError';
  }
}

/**
 * The only place where a state follows from another.
 *
 * @throws ReflectorStateError when the table has no such transition
 */
export function transition(state: ReflectorState, event: ReflectorEvent): ReflectorState {
  const next = TABLE[state][event];
  if (next === undefined) throw new ReflectorStateError(state, event);
  return next;
}
