import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../reflector/index.ts';
import { type CredentialsRequest, CredentialsSource } from './credentials-source.ts';
import { CredentialsError } from './errors.ts';
import type { ConnectionInfo } from './types.ts';

/** Many reflectors are refused at about the same time; what one of them got new is new for all. */
const FRESH_MS = 10_000;

/** For authenticators of others, which may never answer: all who come later wait for the same answer. */
const ANSWER_LIMIT_MS = 300_000;

/** What the broker takes from its surroundings; tests give their own. */
export interface BrokerOptions {
  /** Reads a KubeConfig. Default: a {@link CredentialsSource} for each. */
  readonly read?: (kubeConfig: KubeConfig, request: CredentialsRequest) => Promise<ConnectionInfo>;
  readonly clock?: Clock;
}

const systemClock: Clock = {
  now: () => performance.now(),
  setTimer(delayMs, callback) {
    // Waiting for a plugin is no reason to keep a process alive that has nothing else to do.
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

interface Flight {
  readonly refresh: boolean;
  readonly answer: Promise<ConnectionInfo>;
}

/** What is known of each KubeConfig. */
class Memory {
  readonly flights = new WeakMap<KubeConfig, Flight>();
  readonly refreshedMs = new WeakMap<KubeConfig, number>();
  readonly sources = new WeakMap<KubeConfig, CredentialsSource>();
}

/** One for the thread: factories and clients that have the same KubeConfig run its plugin once. */
const shared = new Memory();

/**
 * Answers the workers' questions for credentials on the home thread. Questions about one KubeConfig that come together
 * are asked once, also when they come to several brokers: a plugin that opens a browser must not open ten.
 */
export class CredentialsBroker {
  readonly #read: NonNullable<BrokerOptions['read']>;
  readonly #clock: Clock;
  readonly #memory: Memory;

  constructor({ read, clock = systemClock }: BrokerOptions = {}) {
    this.#memory = read === undefined ? shared : new Memory();
    this.#read = read ?? ((kubeConfig, request) => this.#sourceOf(kubeConfig).read(request));
    this.#clock = clock;
  }

  /**
   * @param refresh - the last credentials were refused: get new ones, unless somebody just did
   * @param options - how long plugins may take
   * @throws CredentialsError when they can't be had
   */
  connectionInfo(
    kubeConfig: KubeConfig,
    refresh: boolean,
    options: Pick<CredentialsRequest, 'pluginLimitMs'> = {},
  ): Promise<ConnectionInfo> {
    const running = this.#memory.flights.get(kubeConfig);
    if (running === undefined) return this.#start(kubeConfig, { ...options, refresh });
    if (running.refresh || !refresh) return running.answer;
    // What is under way may be what was refused.
    const again = () => this.connectionInfo(kubeConfig, true, options);
    return running.answer.then(again, again);
  }

  #start(
    kubeConfig: KubeConfig,
    request: CredentialsRequest & { readonly refresh: boolean },
  ): Promise<ConnectionInfo> {
    const { flights, refreshedMs } = this.#memory;
    const ageMs = this.#clock.now() - (refreshedMs.get(kubeConfig) ?? Number.NEGATIVE_INFINITY);
    const refresh = request.refresh && ageMs >= FRESH_MS;
    const answer = this.#ask(kubeConfig, { ...request, refresh }).finally(() => flights.delete(kubeConfig));
    flights.set(kubeConfig, { refresh: request.refresh, answer });
    return answer;
  }

  async #ask(kubeConfig: KubeConfig, request: CredentialsRequest): Promise<ConnectionInfo> {
    const info = await this.#withLimit(this.#read(kubeConfig, request));
    if (request.refresh === true) this.#memory.refreshedMs.set(kubeConfig, this.#clock.now());
    return info;
  }

  #sourceOf(kubeConfig: KubeConfig): CredentialsSource {
    const { sources } = this.#memory;
    const known = sources.get(kubeConfig);
    if (known !== undefined) return known;
    const source = new CredentialsSource(kubeConfig);
    sources.set(kubeConfig, source);
    return source;
  }

  #withLimit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.setTimer(ANSWER_LIMIT_MS, () => {
        const message = `no credentials came in ${ANSWER_LIMIT_MS / 1000} s; see what the authenticators that were added to the KubeConfig wait for`;
        reject(new CredentialsError(message, { code: 'credentials-timeout' }));
      });
      work.then(resolve, reject).finally(cancel);
    });
  }
}
