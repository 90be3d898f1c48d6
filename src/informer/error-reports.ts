/** What goes wrong with an informer, as errors that name what and whom. All of it is for information. */
import type { AuditFailure, RunFigures } from './audit-run.ts';
import { InformerError } from './errors.ts';
import type { InformerEvent } from './event.ts';
import type { Feed } from './feed.ts';
import type { HandlerPlan } from './handler-options.ts';

interface Details {
  readonly status?: number;
  readonly retryInMs?: number;
  readonly cause?: unknown;
}

/** Keys that the message of a drift names; the report has more of them. */
const NAMED_DRIFTS = 5;

export class ErrorReports<T> {
  count = 0;

  readonly #what: string;
  readonly #tell: (error: InformerError, feed: Feed<T> | undefined) => void;

  /**
   * @param what - names the resource
   * @param tell - gets each error, and the feed that it is about
   */
  constructor(what: string, tell: (error: InformerError, feed: Feed<T> | undefined) => void) {
    this.#what = what;
    this.#tell = tell;
  }

  report(code: string, message: string, details: Details, feed?: Feed<T>): InformerError {
    this.count++;
    const { status, retryInMs, cause } = details;
    const error = new InformerError(message, {
      code,
      resource: this.#what,
      ...(status !== undefined && { status }),
      ...(retryInMs !== undefined && { retryInMs }),
      ...(cause !== undefined && { cause }),
    });
    this.#tell(error, feed);
    return error;
  }

  storeFailed(cause: unknown, feed: Feed<T>): void {
    this.report('store-full', reasonOf(cause), { cause }, feed);
  }

  indexFailed(index: string, key: string, cause: unknown): void {
    const message =
      `the index '${index}' of ${this.#what} failed on ${key}, which is kept without a value in it: ${reasonOf(cause)}. ` +
      'Further failures of this index are only counted (stats.indexErrors)';
    this.report('index-failed', message, { cause });
  }

  handlerFailed(cause: unknown, event: InformerEvent<T>, { name, onError }: HandlerPlan<T>): void {
    const who = name === undefined ? 'a handler' : `the handler ${JSON.stringify(name)}`;
    const message = `${who} of ${this.#what} failed on the ${event.type} of ${event.key}: ${reasonOf(cause)}`;
    const error = this.report('handler-failed', message, { cause });
    try {
      onError?.(error, event);
    } catch (second) {
      const reason = reasonOf(second);
      this.report('handler-failed', `onError of ${who} of ${this.#what} failed: ${reason}`, {
        cause: second,
      });
    }
  }

  /** An audit found that the cache was wrong. */
  drifted({ missing, stale, leftover, repaired, drifts }: RunFigures): InformerError {
    const some = drifts.slice(0, NAMED_DRIFTS).map(({ key, kind }) => `${key} (${kind})`);
    const wrong = missing + stale + leftover;
    const message =
      `an audit found ${wrong} objects of ${this.#what} of which the cache was wrong (${missing} missing, ${stale} stale, ` +
      `${leftover} left over), and repaired ${repaired}: ${some.join(', ')}${wrong > some.length ? ', …' : ''}. ` +
      'Something between the API server and this process loses events, or this is a bug: please report it';
    return this.report('drift', message, {});
  }

  auditFailed({ code, message, status }: AuditFailure): InformerError {
    const details = status === 0 ? {} : { status };
    return this.report(
      'audit-failed',
      `an audit of ${this.#what} came to no result (${code}): ${message}`,
      details,
    );
  }

  /** An async listener rejected. */
  listenerFailed(name: string, cause: unknown): void {
    const message = `a listener for ${name} of ${this.#what} failed: ${reasonOf(cause)}`;
    // A listener for errors that fails must not be told of its own failure, for ever.
    if (name === 'error') this.count++;
    else this.report('listener-failed', message, { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
