import { randomUUID } from 'node:crypto';
import { ApiError, type ApiObject, secondsTime } from '../client/index.ts';
import { type DatedClock, systemClock } from '../timing.ts';
import { type CoreEvent, cutMessage, type EventDetails, objectReference } from './event.ts';
import type { EventClient } from './event-client.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventWriter } from './event-writer.ts';

/** How events are recorded. */
export interface EventRecorderOptions {
  /** Who records: the name of the controller, for example `web-operator`. */
  readonly component: string;
  /** Where it runs, for example a Pod's name. @default none */
  readonly host?: string;
  /** Called with an {@link EventError} for each event that was not recorded, unless there were too many like it. */
  readonly onError?: (error: EventError) => void;
  /** @internal For tests. */
  readonly clock?: DatedClock;
  /** @internal Uniform in [0, 1), as Math.random. For tests. */
  readonly random?: () => number;
}

/** An event was not recorded. */
export class EventError extends Error {
  override readonly name = 'EventError';
  /**
   * - `bad-event`: what was given makes no event.
   * - `too-many`: too many different events wait to be written.
   * - `closed`: the recorder was closed.
   * - `not-written`: the API server refused it, or could not be reached for too long; its error is the cause.
   */
  readonly code: 'bad-event' | 'too-many' | 'closed' | 'not-written';

  /** @internal */
  constructor(message: string, details: { code: EventError['code']; cause?: unknown }) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
  }
}

/** Counts since the recorder was made. */
export interface EventRecorderStats {
  /** Calls of `record`. */
  readonly recorded: number;
  /** Requests that wrote an event, or that it happened again. Several calls can come to one. */
  readonly written: number;
  /** Events that were one too many about their object. */
  readonly suppressed: number;
  /** Events that were lost for another reason; `onError` was told. */
  readonly failed: number;
  /** Different events that wait to be written. */
  readonly waiting: number;
}

/** How long `close` waits for what is not written. */
const CLOSE_LIMIT_MS = 5_000;

/** Events about objects that are in no namespace go to this one, as the API server wants it. */
const DEFAULT_NAMESPACE = 'default';

/** What a name of an object is in the API: a DNS subdomain. */
const DNS_SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const MAX_NAME_CHARS = 253;

/**
 * Records Events about objects, for people to read with `kubectl describe` and `kubectl events`.
 *
 * The Events are those of the core group, as of client-go's `tools/record`, which most controllers use: its rules count
 * repeats by message, merge similar messages, and limit what is written about one object. Those of `events.k8s.io`
 * (client-go's `tools/events`) are the same objects on the server, but their series tell nothing of messages that
 * differ, and nothing limits them.
 *
 * Recording never throws and never waits: events are for information, and a controller must not suffer from them.
 */
export class EventRecorder {
  readonly #component: string;
  readonly #host: string | undefined;
  readonly #onError: (error: EventError) => void;
  readonly #clock: DatedClock;
  readonly #correlator: EventCorrelator;
  readonly #writer: EventWriter;
  #isClosed = false;
  #recorded = 0;
  #suppressed = 0;
  #failed = 0;
  /** Nanoseconds in the last name. */
  #lastNameNs = 0n;

  /** @throws TypeError when the component has no name */
  constructor(client: EventClient, options: EventRecorderOptions) {
    const { component, host, onError = () => {}, clock = systemClock(false), random = Math.random } = options;
    if (!component)
      throw new TypeError('component is the name of the controller that records events: give one');
    this.#component = component;
    this.#host = host;
    this.#onError = onError;
    this.#clock = clock;
    this.#correlator = new EventCorrelator(clock, (about) => this.#newName(about));
    const onGivenUp = (event: CoreEvent, error: unknown) => this.#onGivenUp(event, error);
    this.#writer = new EventWriter({ client, clock, random, onGivenUp });
  }

  /** Records that something happened that is as it should be. */
  normal(object: ApiObject, reason: string, message: string): void {
    this.record(object, { type: 'Normal', reason, message });
  }

  /** Records that something happened that somebody may have to look after. */
  warning(object: ApiObject, reason: string, message: string): void {
    this.record(object, { type: 'Warning', reason, message });
  }

  /**
   * Records an event, in the object's namespace. Never throws: what can't be recorded is counted and reported.
   *
   * @param object - what it is about: its apiVersion, kind and metadata are read
   */
  record(object: ApiObject, details: EventDetails): void {
    this.#recorded++;
    try {
      if (this.#isClosed) throw new EventError('the recorder was closed', { code: 'closed' });
      this.#record(this.#eventOf(object, details));
    } catch (error) {
      this.#fail(error instanceof EventError ? error : badEvent(error));
    }
  }

  stats(): EventRecorderStats {
    const { waiting, written } = this.#writer;
    return { recorded: this.#recorded, written, suppressed: this.#suppressed, failed: this.#failed, waiting };
  }

  /** Resolves when all events that were recorded before are written or given up, which can take two minutes each. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /**
   * Records nothing more, tries to write what waits once, and resolves when that is done. Never rejects.
   *
   * @param limitMs - how long that may take, in milliseconds; what is left then is given up. Default 5 s
   */
  async close(limitMs: number = CLOSE_LIMIT_MS): Promise<void> {
    this.#isClosed = true;
    await this.#writer.close(limitMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #record(event: CoreEvent): void {
    const correlated = this.#correlator.correlate(event);
    if (correlated === undefined) this.#suppressed++;
    else if (!this.#writer.put(correlated)) {
      throw new EventError(`too many events wait to be written: ${describe(event)} is lost`, {
        code: 'too-many',
      });
    }
  }

  #eventOf(object: ApiObject, details: EventDetails): CoreEvent {
    const { type, reason, message, annotations, fieldPath } = checked(details);
    const involvedObject = objectReference(object, fieldPath);
    const now = secondsTime(this.#clock.epochMs());
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: this.#newName(involvedObject.name),
        namespace: involvedObject.namespace ?? DEFAULT_NAMESPACE,
        ...(annotations !== undefined && { annotations }),
      },
      involvedObject,
      type,
      reason,
      message: cutMessage(message),
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component: this.#component, ...(this.#host !== undefined && { host: this.#host }) },
      reportingComponent: this.#component,
      reportingInstance: this.#host ?? '',
    };
  }

  /** As client-go's: the object's name and nanoseconds in hex; a UUID where that is no name for an Event. */
  #newName(about: string): string {
    const nowNs = BigInt(Math.floor(this.#clock.epochMs())) * 1_000_000n;
    // The clock has milliseconds only, and two events may come within one.
    this.#lastNameNs = nowNs > this.#lastNameNs ? nowNs : this.#lastNameNs + 1n;
    const name = `${about}.${this.#lastNameNs.toString(16)}`;
    return name.length <= MAX_NAME_CHARS && DNS_SUBDOMAIN.test(name) ? name : randomUUID();
  }

  #onGivenUp(event: CoreEvent, cause: unknown): void {
    const isLeaving = cause instanceof ApiError && cause.causes.includes('NamespaceTerminating');
    const why = isLeaving
      ? 'its namespace is being deleted'
      : cause instanceof Error
        ? cause.message
        : String(cause);
    this.#fail(new EventError(`${describe(event)} was not written: ${why}`, { code: 'not-written', cause }));
  }

  #fail(error: EventError): void {
    this.#failed++;
    try {
      this.#onError(error);
    } catch {
      // Whoever is told of lost events can't stop a controller by making another error.
    }
  }
}

function checked(details: EventDetails): EventDetails {
  const { type, reason, message } = details;
  if (type !== 'Normal' && type !== 'Warning')
    throw new TypeError(`the type is Normal or Warning, not ${type}`);
  if (typeof reason !== 'string' || reason === '') throw new TypeError('the reason is a word in CamelCase');
  if (typeof message !== 'string') throw new TypeError('the message is a string');
  return details;
}

function badEvent(cause: unknown): EventError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EventError(`no event was recorded: ${why}`, { code: 'bad-event', cause });
}

function describe({ reason, involvedObject: { kind, namespace, name } }: CoreEvent): string {
  return `event ${reason} of ${kind} ${namespace ? `${namespace}/${name}` : name}`;
}
