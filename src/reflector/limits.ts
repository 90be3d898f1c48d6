/** The limits of a Reflector, each with its reason. */

/** What kubectl and client-go ask for: a page is a few MB and its continue token stays valid. */
export const PAGE_LIMIT = 500;

/** Asking the server to end a watch after a random time spreads the re-watches of many clients. */
export const WATCH_SECONDS_MIN = 300;
export const WATCH_SECONDS_MAX = 600;

/** Delays start between this and twice this, and double with each failure. */
export const FIRST_BACKOFF_MS = 800;

/** No delay is longer, so that a server that came back is found soon. */
export const MAX_BACKOFF_MS = 30_000;

/** A watch that stayed open for so long was a good one, even when nothing happened meanwhile. */
export const STEADY_WATCH_MS = 60_000;

/** Good watches that end at once, one after the other, are not opened more often than this. */
export const MIN_WATCH_INTERVAL_MS = 1_000;

/** A watch that expired after a good time relists without a delay, but not more often than this. */
export const MIN_PROMPT_RELIST_INTERVAL_MS = 60_000;

/** 403, 404 and 405 need a person (a role, a custom resource definition), so asking often helps nobody. */
export const SLOW_RETRY_MS = 60_000;

/** A Retry-After beyond this is not believed: it would look like a hang. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Watches in a row that the server answered but that brought nothing; then the list is fetched again. */
export const MAX_FRUITLESS_WATCHES = 5;

/** An API server gives up on a request after 60 s; what takes longer to answer never will. */
export const RESPONSE_LIMIT_MS = 75_000;

/** A server sends a bookmark about each minute; three that are missing mean a dead connection. */
export const IDLE_LIMIT_MS = 180_000;

/** A body that follows an error status is a Status of a few hundred bytes. */
export const ERROR_BODY_LIMIT_BYTES = 64 * 1024;

/** Progress is for people: four times a second is smooth. */
export const PROGRESS_INTERVAL_MS = 250;

/**
 * A server sends its objects without a pause and the marker within seconds; one that is silent for so long does not
 * know the marker.
 */
export const INITIAL_SILENCE_MS = 30_000;

/**
 * Longest time for initial events, while we take them: half a million objects at the speed of a real server. On a
 * busy cluster, where it is never silent, a server that does not know the marker is found out by this alone.
 */
export const INITIAL_LIMIT_MS = 120_000;

/** Streams in a row that end before the marker; then it is not by chance. */
export const MAX_UNFINISHED_STREAMS = 3;

/** A server that could not stream initial events is asked again after its next upgrade, more or less. */
export const STREAM_RETRY_MS = 6 * 3_600_000;

/** Requests that many reflectors of a worker open again are spread: a server that just came back is not stormed. */
export const MAX_OPENS_PER_SECOND = 25;

/** First lists and watches that a worker opens without a delay: those of a hundred informers. */
export const FIRST_OPENS_BURST = 200;

/** Whoever failed during an outage tries again within 30 s of its end: for twice that time all keep to the rate. */
export const NO_BURST_MS = 60_000;

/** Contact is for people and probes: four times a second is enough. */
export const CONTACT_INTERVAL_MS = 250;
