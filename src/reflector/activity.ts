import { errorNotice, type Failure } from './failure.ts';
import type { ReflectorOptions } from './options.ts';
import type { ReflectorEvent } from './state-machine.ts';
import { transition } from './state-machine.ts';
import type { ReflectorState } from './types.ts';
import { describeResource } from './urls.ts';

/** A request that was prepared. */
interface PreparedCall {
  open(): void;
  space(): void;
  abort(): void;
}

/** What is tried, for messages. */
export type Verb = 'list' | 'watch list' | 'watch';

/**
 * What a Reflector does at the moment: its state, and the one call that is open or the one thing that is waited for.
 * Whoever is told about it may stop it, so every step asks first.
 */
export class Activity {
  readonly #options: ReflectorOptions;
  #state: ReflectorState = 'idle';
  #call: PreparedCall | undefined;
  /** Ends the wait for a retry or for the budget. */
  #cancelWait: (() => void) | undefined;
  #hasWatched = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  get hasStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Changes state and goes on, unless whoever was told stopped us. */
  go(event: ReflectorEvent, proceed: () => void): void {
    if (this.hasStopped) return;
    this.#change(event);
    if (!this.hasStopped) proceed();
  }

  /** Does nothing for a while, and then goes on. */
  backOff(waitMs: number, proceed: () => void): void {
    this.#call = undefined;
    this.go('backOff', () => {
      const { clock, observer } = this.#options;
      observer?.backingOff(clock.now() + waitMs);
      this.#cancelWait = clock.setTimer(waitMs, () => {
        this.#cancelWait = undefined;
        proceed();
      });
    });
  }

  /** Opens a list or a watch, when the budget allows. */
  open(call: PreparedCall): void {
    this.#call = call;
    const { budget } = this.#options;
    const isFirst = !this.#hasWatched;
    this.#hasWatched ||= this.#state !== 'listing';
    if (budget === undefined || budget.take(isFirst)) {
      call.open();
      return;
    }
    this.#cancelWait = budget.wait(() => {
      this.#cancelWait = undefined;
      call.open();
    });
  }

  /** Opens what goes on where the last call ended: it costs no budget. */
  openNext(call: PreparedCall): void {
    this.#call = call;
    call.open();
  }

  /** The sink has space again. */
  space(): void {
    this.#call?.space();
  }

  stop(): void {
    this.#call?.abort();
    this.#call = undefined;
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#change('stop');
  }

  tell(verb: Verb, failure: Failure, retryInMs: number): void {
    if (this.hasStopped) return;
    const { sink, resource } = this.#options;
    sink.notice(errorNotice(`${verb} of ${describeResource(resource)}`, failure, retryInMs));
  }

  #change(event: ReflectorEvent): void {
    const state = transition(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.#options.sink.notice({ type: 'state', state });
  }
}
