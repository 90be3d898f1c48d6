/** Controllers without a server: their informers are fed by the test, and time passes when it says so. */
import {
  Controller,
  type ControllerError,
  type ControllerOptions,
  type NamedInformers,
  type ReconcileContext,
  type ReconcileRequest,
} from '../../src/controller/index.ts';
import { Harness, type Thing } from '../informer/harness.ts';
import { ManualClock, settle } from './manual-clock.ts';

/** A synced informer of things. */
export function makeThings(things: readonly Thing[] = []): Harness {
  const harness = new Harness();
  void harness.informer.start();
  harness.list(things, '100');
  harness.work();
  return harness;
}

/** One controller that runs, and what it did. */
export class Scene {
  readonly clock = new ManualClock();
  readonly controller: Controller<Thing>;
  readonly errors: ControllerError[] = [];
  /** Undefined as long as it runs. */
  outcome: 'resolved' | Error | undefined;
  readonly #stop = new AbortController();

  constructor(options: ControllerOptions<Thing>) {
    this.controller = new Controller({ clock: this.clock, ...options });
    this.controller.on('error', (error) => void this.errors.push(error));
  }

  /** What it ended with. */
  get failure(): Error & { code?: string } {
    if (this.outcome instanceof Error) return this.outcome;
    throw new Error(`it has not failed: ${this.outcome ?? 'it runs'}`);
  }

  /** Starts, and lets what can be done at once be done. */
  async start(): Promise<this> {
    this.controller.run({ signal: this.#stop.signal }).then(
      () => {
        this.outcome = 'resolved';
      },
      (error) => {
        this.outcome = error;
      },
    );
    await this.rest();
    return this;
  }

  /** Tells it to stop; `outcome` says when it has. */
  async stop(reason?: unknown): Promise<void> {
    this.#stop.abort(reason);
    await this.rest();
  }

  /** Lets everything run that does not wait for time. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < RESTING_TURNS; turn++) await settle();
  }

  /** Lets time pass, and what it causes happen. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.rest();
  }
}

/** A key takes a turn of the event loop, and tests have a few keys. */
const RESTING_TURNS = 30;

/** A reconcile that tells what it was called with. */
export class Recorder {
  readonly keys: string[] = [];
  readonly attempts: number[] = [];
  readonly signals: AbortSignal[] = [];

  readonly reconcile = (
    { key }: ReconcileRequest,
    context: ReconcileContext<Thing, NamedInformers>,
  ): void => {
    this.keys.push(key);
    this.attempts.push(context.attempt);
    this.signals.push(context.signal);
  };
}

/** A reconcile whose ends the test decides. */
export class Gate {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  readonly signals = new Map<string, AbortSignal>();
  /** Keys in the order in which they began. */
  readonly begun: string[] = [];

  /** Keys that are reconciled now. */
  get inside(): string[] {
    return [...this.#waiting.keys()];
  }

  readonly reconcile = ({ key }: ReconcileRequest, { signal }: { signal: AbortSignal }): Promise<void> => {
    if (this.#waiting.has(key)) throw new Error(`${key} is reconciled twice at a time`);
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    this.signals.set(key, signal);
    this.begun.push(key);
    return waiting.promise;
  };

  end(key: string): void {
    this.#waiting.get(key)?.resolve();
    this.#waiting.delete(key);
  }

  fail(key: string, error: unknown): void {
    this.#waiting.get(key)?.reject(error);
    this.#waiting.delete(key);
  }
}
