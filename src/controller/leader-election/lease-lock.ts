import { statusOf } from '../client/index.ts';
import type { DatedClock } from '../timing.ts';
import {
  isSameRecord,
  type Lease,
  type LeaseName,
  type LeaseRecord,
  type LeaseSpec,
  NO_RECORD,
  newLease,
  recordOf,
  withSpec,
} from './lease.ts';
import type { LeaseClient } from './lease-client.ts';
import { microTime } from './micro-time.ts';

/** What a lock needs. */
export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly name: LeaseName;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: DatedClock;
}

/** Runs one request with a signal and a limit of its own. */
export type RequestRunner = <T>(request: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** What a released lease says, as client-go writes it: the API wants a duration above 0. */
const RELEASED_SECONDS = 1;

/**
 * The lease and what was last seen of it: the rules of client-go's `tryAcquireOrRenew` and `tryRelease`. Has no timers.
 *
 * Times that others wrote are never compared with ours. Whether a lease has expired is judged by when *we* saw its
 * record change, on our own monotonic clock, so clocks may differ by any amount, as long as they run about equally fast.
 */
export class LeaseLock {
  readonly #client: LeaseClient;
  readonly #name: LeaseName;
  readonly #identity: string;
  readonly #durationSeconds: number;
  readonly #clock: DatedClock;
  /** The server's last answer: what the next update is based on. */
  #lease: Lease | undefined;
  #record = NO_RECORD;
  #observedAtMs = Number.NEGATIVE_INFINITY;
  #heldFromMs = Number.NEGATIVE_INFINITY;
  /** A write was sent and its fate is not known. */
  #isInDoubt = false;
  #slowPaths = 0;

  constructor({ client, name, identity, leaseDurationMs, clock }: LeaseLockOptions) {
    this.#client = client;
    this.#name = name;
    this.#identity = identity;
    // Rounded up: others must not think that it expired before we do.
    this.#durationSeconds = Math.ceil(leaseDurationMs / 1000);
    this.#clock = clock;
  }

  /** Whom the last seen record names; '' for nobody. */
  get holder(): string {
    return this.#record.holder;
  }

  /** True when the last seen record names us. Says nothing of whether it still holds. */
  get isOurs(): boolean {
    return this.#record.holder === this.#identity;
  }

  /** True when the lease may name us, as far as we know. */
  get mayBeOurs(): boolean {
    return this.isOurs || this.#isInDoubt;
  }

  /** When the write that last gave us the lease was begun: nobody else's wait can have begun before it. */
  get heldFromMs(): number {
    return this.#heldFromMs;
  }

  /** How often the lease was ours and had to be read before it was renewed. */
  get slowPaths(): number {
    return this.#slowPaths;
  }

  /**
   * Tries once to get the lease, or to keep it.
   *
   * @param isLeading - only keep it: whoever leads and finds that the lease is not theirs has lost it, for somebody
   *   else may have led meanwhile
   * @returns true when it is ours since {@link heldFromMs}
   * @throws what the client throws; whether it is ours is not known then
   */
  async tryAcquireOrRenew(isLeading: boolean, run: RequestRunner): Promise<boolean> {
    const nowMs = this.#clock.now();
    if (this.#lease !== undefined && this.isOurs && this.#isValid(nowMs)) {
      if (await this.#renewUnread(this.#lease, run)) return true;
    }
    const lease = await run((signal) => this.#client.get(this.#name, signal));
    if (lease === undefined) return this.#create(run);
    this.#observe(lease);
    if (this.isOurs) {
      this.#slowPaths++;
      return this.#update(lease, this.#renewal(this.#record), run);
    }
    if (isLeading || (this.holder !== '' && this.#isValid(nowMs))) return false;
    return this.#update(lease, this.#acquisition(this.#record.transitions + 1), run);
  }

  /**
   * Gives the lease up if it is ours, also when an answer to our last write never came.
   *
   * @throws what the client throws; conflicts are tried again, until `run` refuses
   */
  async release(run: RequestRunner): Promise<void> {
    for (;;) {
      const lease = await run((signal) => this.#client.get(this.#name, signal));
      if (lease !== undefined) this.#observe(lease);
      if (lease === undefined || !this.isOurs) return;
      try {
        await this.#update(lease, this.#released(this.#record), run);
        return;
      } catch (error) {
        // Our own last renewal may have arrived in between.
        if (statusOf(error) !== 409) throw error;
      }
    }
  }

  /** The fast path: what we wrote last is most likely the latest, so it need not be read first. */
  async #renewUnread(lease: Lease, run: RequestRunner): Promise<boolean> {
    try {
      return await this.#update(lease, this.#renewal(this.#record), run);
    } catch {
      // Whatever it was, reading tells more; when that fails, too, its error is reported.
      return false;
    }
  }

  async #create(run: RequestRunner): Promise<boolean> {
    const lease = newLease(this.#name, this.#acquisition(0));
    return this.#write(() => run((signal) => this.#client.create(lease, signal)));
  }

  async #update(lease: Lease, spec: LeaseSpec, run: RequestRunner): Promise<boolean> {
    const changed = withSpec(lease, spec);
    return this.#write(() => run((signal) => this.#client.update(changed, signal)));
  }

  async #write(send: () => Promise<Lease>): Promise<boolean> {
    const startMs = this.#clock.now();
    this.#isInDoubt = true;
    try {
      this.#adopt(await send(), startMs);
    } catch (error) {
      const status = statusOf(error);
      this.#isInDoubt = status === undefined || status >= 500;
      throw error;
    }
    return this.isOurs;
  }

  #adopt(lease: Lease, startMs: number): void {
    this.#lease = lease;
    this.#record = recordOf(lease);
    this.#observedAtMs = startMs;
    this.#isInDoubt = false;
    if (this.isOurs) this.#heldFromMs = startMs;
  }

  #observe(lease: Lease): void {
    const record = recordOf(lease);
    this.#lease = lease;
    this.#isInDoubt = false;
    if (isSameRecord(record, this.#record)) return;
    this.#record = record;
    this.#observedAtMs = this.#clock.now();
  }

  #isValid(nowMs: number): boolean {
    return this.#observedAtMs + this.#record.durationMs > nowMs;
  }

  #acquisition(leaseTransitions: number): LeaseSpec {
    const now = microTime(this.#clock.epochMs());
    const leaseDurationSeconds = this.#durationSeconds;
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds,
      acquireTime: now,
      renewTime: now,
      leaseTransitions,
    };
  }

  #renewal({ acquireTime, transitions }: LeaseRecord): LeaseSpec {
    const spec = this.#acquisition(transitions);
    return acquireTime === '' ? spec : { ...spec, acquireTime };
  }

  #released({ transitions }: LeaseRecord): LeaseSpec {
    return { ...this.#acquisition(transitions), holderIdentity: '', leaseDurationSeconds: RELEASED_SECONDS };
  }
}
