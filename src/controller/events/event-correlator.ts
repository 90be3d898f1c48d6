import type { DatedClock } from '../timing.ts';
import { type CoreEvent, cutMessage, eventKey, similarKey, sourceKey } from './event.ts';
import { LruMap } from './lru-map.ts';
import { TokenBucket } from './token-bucket.ts';

/** The limits of client-go's `tools/record/events_cache.go`. */
const CACHE_ENTRIES = 4096;
/** From so many different messages of one reason on, they become one event. */
const SIMILAR_EVENTS = 10;
/** Without a similar event for so long, counting begins anew. */
const SIMILAR_WINDOW_MS = 600_000;
/** So many events of one source about one object at once, and one more in each period. */
const SPAM_BURST = 25;
const SPAM_PERIOD_MS = 300_000;

const COMBINED = '(combined from similar events): ';

/** What becomes of an event. */
export interface CorrelatedEvent {
  /** Events with the same key are one event on the server. */
  readonly key: string;
  /** Named as the first of its key, with the count of all of them. */
  readonly event: CoreEvent;
}

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Seen {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

/**
 * Keeps the API server from being flooded, by the rules of client-go's EventCorrelator: the same event again is counted
 * up; many events that differ only in their message become one; and who writes too many about one object is not heard.
 * What it remembers is bounded: what was not used for longest is forgotten, and then counts as new.
 */
export class EventCorrelator {
  readonly #clock: DatedClock;
  readonly #newName: (about: string) => string;
  readonly #similar = new LruMap<Similar>(CACHE_ENTRIES);
  readonly #seen = new LruMap<Seen>(CACHE_ENTRIES);
  readonly #buckets = new LruMap<TokenBucket>(CACHE_ENTRIES);

  /** @param newName - a new name for an event about an object of this name */
  constructor(clock: DatedClock, newName: (about: string) => string) {
    this.#clock = clock;
    this.#newName = newName;
  }

  /** @returns undefined for an event that is one too many; it is counted all the same */
  correlate(event: CoreEvent): CorrelatedEvent | undefined {
    const correlated = this.#count(this.#combine(event));
    return this.#isSpam(correlated.event) ? undefined : correlated;
  }

  #combine(event: CoreEvent): CorrelatedEvent {
    const key = similarKey(event);
    const nowMs = this.#clock.now();
    let similar = this.#similar.get(key);
    if (similar === undefined || nowMs - similar.lastMs > SIMILAR_WINDOW_MS) {
      similar = { messages: new Set(), lastMs: nowMs };
      this.#similar.set(key, similar);
    }
    similar.lastMs = nowMs;
    similar.messages.add(event.message);
    if (similar.messages.size < SIMILAR_EVENTS) return { key: eventKey(event), event };

    // The set stays at its limit: which of the messages it holds does not matter.
    similar.messages.delete(event.message);
    const name = this.#newName(event.involvedObject.name);
    const { annotations: _ofOne, ...metadata } = event.metadata;
    const combined = {
      ...event,
      metadata: { ...metadata, name },
      message: cutMessage(COMBINED + event.message),
    };
    return { key, event: combined };
  }

  #count({ key, event }: CorrelatedEvent): CorrelatedEvent {
    const seen = this.#seen.get(key);
    const counted: CoreEvent =
      seen === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: seen.name },
            firstTimestamp: seen.firstTimestamp,
            count: seen.count + 1,
          };
    const { count, firstTimestamp, metadata } = counted;
    this.#seen.set(key, { name: metadata.name, firstTimestamp, count });
    return { key, event: counted };
  }

  #isSpam(event: CoreEvent): boolean {
    const key = sourceKey(event);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#clock, SPAM_BURST, SPAM_PERIOD_MS);
    this.#buckets.set(key, bucket);
    return !bucket.tryTake();
  }
}
