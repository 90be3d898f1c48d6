import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../reflector/index.ts';
import { connectionInfo } from './connection-info.ts';
import { CredentialsError } from './errors.ts';
import type { ConnectionInfo } from './types.ts';

/** Many reflectors are refused at about the same time; what one of them got new is new for all. */
const FRESH_MS = 10_000;

/** A plugin may wait for a person at a browser, but not for ever: all who come later wait for the same run. */
const ANSWER_LIMIT_MS = 300_000;

/** What the broker takes from its surroundings; tests give their own. */
export interface BrokerOptions {
  /** Reads a KubeConfig. Default {@link connectionInfo}. */
  readonly read?: (kubeConfig: KubeConfig, refresh: boolean) => Promise<ConnectionInfo>;
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

/**
 * Answers the workers' questions for credentials on the home thread. Questions about one KubeConfig that come together
 * are asked once: client-node would run an exec plugin once for each.
 */
export class CredentialsBroker {
  readonly #read: NonNullable<BrokerOptions['read']>;
  readonly #clock: Clock;
  readonly #flights = new WeakMap<KubeConfig, Flight>();
  readonly #refreshedMs = new WeakMap<KubeConfig, number>();

  constructor({ read = connectionInfo, clock = systemClock }: BrokerOptions = {}) {
    this.#read = read;
    this.#clock = clock;
  }

  /**
   * @param refresh - the last credentials were refused: get new ones, unless somebody just did
   * @throws CredentialsError when they can't be had
   */
  connectionInfo(kubeConfig: KubeConfig, refresh: boolean): Promise<ConnectionInfo> {
    const running = this.#flights.get(kubeConfig);
    if (running === undefined) return this.#start(kubeConfig, refresh);
    if (running.refresh || !refresh) return running.answer;
    // What is under way may be what was refused.
    const again = () => this.connectionInfo(kubeConfig, true);
    return running.answer.then(again, again);
  }

  #start(kubeConfig: KubeConfig, refresh: boolean): Promise<ConnectionInfo> {
    const isFresh =
      this.#clock.now() - (this.#refreshedMs.get(kubeConfig) ?? Number.NEGATIVE_INFINITY) < FRESH_MS;
    const mustRefresh = refresh && !isFresh;
    const answer = this.#ask(kubeConfig, mustRefresh).finally(() => this.#flights.delete(kubeConfig));
    this.#flights.set(kubeConfig, { refresh, answer });
    return answer;
  }

  async #ask(kubeConfig: KubeConfig, refresh: boolean): Promise<ConnectionInfo> {
    const info = await this.#withLimit(this.#read(kubeConfig, refresh));
    if (refresh) this.#refreshedMs.set(kubeConfig, this.#clock.now());
    return info;
  }

  #withLimit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.setTimer(ANSWER_LIMIT_MS, () => {
        const message = `no credentials came in ${ANSWER_LIMIT_MS / 1000} s; see whether the credentials plugin waits for somebody`;
        reject(new CredentialsError(message, { code: 'credentials-timeout' }));
      });
      work.then(resolve, reject).finally(cancel);
    });
  }
}
