/**
 * Between the errors of an engine informer, which tries again by itself, and `error` callbacks that were written for
 * one which does not. Such callbacks call `start()`, which does no harm, or make another informer, which would double
 * with each error that all of them are told of. So an error is told once, until `start()` is called, or until the server
 * is heard again; the latter counts only for the latest of several informers that watch the same.
 */
import type { InformerError, SharedInformer } from '../informer/index.ts';
import { type CompatError, compatErrorOf, isToldOf } from './errors.ts';

/** A watch that goes on in silence tells nobody: while there is an outage, it is looked at so often. */
const RECOVERY_LOOK_MS = 250;

/** A refusal is heard of before it is told, so one look may see a server that answers. The next one sees the refusal. */
const GOOD_LOOKS = 2;

export interface ErrorGateOptions {
  readonly informer: Pick<SharedInformer, 'health' | 'on' | 'off'>;
  /** Whether no later one watches the same. */
  readonly isLatest: () => boolean;
  readonly tell: (error: CompatError) => void;
  /** The server is heard again after an error. */
  readonly onRecovered: () => void;
}

export class ErrorGate {
  readonly #options: ErrorGateOptions;
  #isOpen = true;
  #look: NodeJS.Timeout | undefined;
  #goodLooks = 0;

  constructor(options: ErrorGateOptions) {
    this.#options = options;
    options.informer.on('error', this.#onError);
  }

  /** The next error is told. */
  open(): void {
    this.#isOpen = true;
  }

  /** Nothing is told afterwards. */
  close(): void {
    this.#options.informer.off('error', this.#onError);
    clearTimeout(this.#look);
  }

  #lookLater(): NodeJS.Timeout {
    return setTimeout(this.#lookForRecovery, RECOVERY_LOOK_MS).unref();
  }

  readonly #onError = (error: InformerError): void => {
    if (!isToldOf(error)) return;
    this.#look ??= this.#lookLater();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.tell(compatErrorOf(error));
  };

  readonly #lookForRecovery = (): void => {
    const { connected, degraded } = this.#options.informer.health();
    this.#goodLooks = connected && !degraded ? this.#goodLooks + 1 : 0;
    if (this.#goodLooks < GOOD_LOOKS) {
      this.#look = this.#lookLater();
      return;
    }
    this.#goodLooks = 0;
    this.#look = undefined;
    if (this.#options.isLatest()) this.#isOpen = true;
    this.#options.onRecovered();
  };
}
