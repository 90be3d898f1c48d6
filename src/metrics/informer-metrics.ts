/** Metrics of informers: how their reflectors, caches and handlers are doing. */
import {
  type InformerHealth,
  type InformerStats,
  LATENCY_BUCKETS,
  type LatencyFigures,
} from '../informer/index.ts';
import type { ReflectorState } from '../reflector/index.ts';
import type { PulledHistogram, PulledMetric } from './metric.ts';

export interface InformerFigures {
  readonly stats: InformerStats;
  readonly health: InformerHealth;
}

type InformerMetric = PulledMetric<InformerFigures>;
type Details = Pick<InformerMetric, 'by' | 'merge'>;

/** As client-go's informer metrics have them; `name` is that of the factory. */
const LABELS = ['name', 'group', 'version', 'resource'];

const STATES = Object.keys({
  idle: true,
  listing: true,
  initialStream: true,
  watching: true,
  backingOff: true,
  stopped: true,
} satisfies Record<ReflectorState, true>);

/** A resourceVersion can have more digits than a double is exact for; client-go shows the last ones. */
const RESOURCE_VERSION_DIGITS = 15;

export const INFORMER_METRICS: readonly InformerMetric[] = [
  gauge('informer_queued_items', 'Deltas that wait to be handled', ({ stats }) => stats.queued),
  gauge(
    'informer_store_resource_version',
    'The last 15 digits of the resourceVersion that the cache is at',
    ({ stats }) => lastDigits(stats.resourceVersion),
    { merge: 'min' },
  ),

  counter('kubering_reflector_lists_total', 'Lists that were begun', ({ health }) => health.lists),
  counter(
    'kubering_reflector_relists_total',
    'Lists that were begun after the first one was complete',
    ({ health }) => health.relists,
  ),
  counter('kubering_reflector_watches_total', 'Watches that were opened', ({ health }) => health.watches),
  counter(
    'kubering_reflector_rewatches_total',
    'Watches that went on where another one had ended',
    ({ health }) => health.rewatches,
  ),
  counter(
    'kubering_reflector_fallbacks_total',
    'Streams of initial events that did not work, so that a list was used',
    ({ health }) => health.fallbacks,
  ),
  counter(
    'kubering_reflector_received_bytes_total',
    'Bytes of lists and watches that came from the server, decompressed',
    ({ stats }) => stats.receivedBytes,
  ),
  counter(
    'kubering_reflector_ring_waits_total',
    'Times that a worker stopped reading because the ring was full',
    ({ stats }) => stats.ringWaits,
  ),
  counter(
    'kubering_reflector_memory_waits_total',
    'Times that a worker stopped reading because the memory of bodies was full',
    ({ stats }) => stats.memoryWaits,
  ),
  gauge(
    'kubering_reflector_state',
    'Informers whose reflector is in this state',
    ({ health }, state) => Number(health.state === state),
    { by: { label: 'state', values: STATES } },
  ),
  gauge(
    'kubering_reflector_connected',
    '1 when a list or watch is open and the server is heard',
    ({ health }) => Number(health.connected),
    { merge: 'min' },
  ),
  gauge(
    'kubering_reflector_backoff_seconds',
    'Time until the next try, 0 when none is waited for',
    ({ health }) => health.backoffMs / 1000,
    { merge: 'max' },
  ),
  gauge(
    'kubering_reflector_last_contact_age_seconds',
    'Time since something came from the server, bookmarks included',
    ({ health }) => seconds(health.lastContactAgeMs),
    { merge: 'max' },
  ),

  gauge(
    'kubering_informer_synced',
    '1 when the first list is in the cache',
    ({ stats }) => Number(stats.hasSynced),
    { merge: 'min' },
  ),
  gauge(
    'kubering_informer_degraded',
    '1 when the cache may be behind: the last try failed, or objects found no room',
    ({ health }) => Number(health.degraded),
    { merge: 'max' },
  ),
  gauge(
    'kubering_informer_last_event_age_seconds',
    'Time since a change was handled',
    ({ health }) => seconds(health.lastEventAgeMs),
    { merge: 'min' },
  ),
  counter('kubering_informer_events_total', 'Events that handlers were told of', ({ stats }) => stats.events),
  counter(
    'kubering_informer_errors_total',
    'Errors that were emitted, and handlers that threw or rejected',
    ({ stats }) => stats.errors,
  ),

  gauge('kubering_handler_registered', 'Handlers that are registered', ({ stats }) => stats.handlers),
  gauge(
    'kubering_handler_backlog_events',
    'Events that wait for the handler that lags most',
    ({ stats }) => stats.backlog,
    { merge: 'max' },
  ),
  gauge(
    'kubering_handler_laps',
    'Events that were merged for handlers that are registered now',
    ({ stats }) => stats.laps,
  ),
  counter(
    'kubering_handler_laps_total',
    'Events that were merged for handlers that lagged',
    ({ stats }) => stats.lapsTotal,
  ),
  counter(
    'kubering_handler_errors_total',
    'Events whose handler threw or rejected',
    ({ stats }) => stats.handlerErrors,
  ),

  gauge('kubering_store_objects', 'Objects in the cache', ({ stats }) => stats.objects),
  gauge('kubering_store_index_bytes', 'Shared memory of tables and indexes', ({ stats }) => stats.indexBytes),
  gauge(
    'kubering_store_held_bytes',
    'Replaced bodies that a handler still has to see',
    ({ stats }) => stats.heldBytes,
  ),
  gauge(
    'kubering_store_decode_cache_bytes',
    'Bytes of the bodies that are kept decoded',
    ({ stats }) => stats.decodeCacheBytes,
  ),
  counter(
    'kubering_store_bodies_total',
    'Objects that came with their bodies, from lists and as events',
    ({ stats }) => stats.bodies,
  ),
  counter(
    'kubering_store_decodes_total',
    'Bodies that were decoded, because somebody looked at an object that was not decoded',
    ({ stats }) => stats.decoded,
  ),
  counter(
    'kubering_store_decode_hits_total',
    'Looks at objects that were decoded already',
    ({ stats }) => stats.decodeHits,
  ),
  gauge(
    'kubering_store_skipped_parses',
    'Bodies that came and cost no decode: the difference of the two counters, and 0 when decodes are more',
    ({ stats }) => Math.max(0, stats.bodies - stats.decoded),
  ),
  counter(
    'kubering_store_body_fallbacks_total',
    'Bodies that could not be made records, and are kept as JSON',
    ({ stats }) => stats.bodyFallbacks,
  ),
  counter(
    'kubering_store_index_errors_total',
    'Failures of index functions; the object is kept without a value in that index',
    ({ stats }) => stats.indexErrors,
  ),

  counter('kubering_audit_runs_total', 'Audits of the cache', ({ stats }) => stats.audits),
  counter(
    'kubering_audit_failures_total',
    'Audits that came to no result',
    ({ stats }) => stats.auditFailures,
  ),
  counter(
    'kubering_audit_drifts_total',
    'Objects of which an audit found the cache wrong',
    ({ stats }) => stats.drifts,
  ),
  counter('kubering_audit_repairs_total', 'Objects that an audit put right', ({ stats }) => stats.repairs),
];

export const INFORMER_HISTOGRAMS: readonly PulledHistogram<InformerFigures>[] = [
  histogram(
    'informer_processing_latency_seconds',
    'How long a batch of changes takes: into the cache, and told to the handlers that keep up',
    ({ processing }) => processing,
  ),
  histogram(
    'kubering_handler_duration_seconds',
    'How long calls of handlers take, those of batches included, until their promise is settled',
    ({ handlers }) => handlers,
  ),
];

function counter(name: string, help: string, read: InformerMetric['read']): InformerMetric {
  return { name, help, type: 'counter', labels: LABELS, read };
}

function gauge(
  name: string,
  help: string,
  read: InformerMetric['read'],
  details: Details = {},
): InformerMetric {
  const labels = details.by === undefined ? LABELS : [...LABELS, details.by.label];
  return { name, help, type: 'gauge', labels, read, ...details };
}

function histogram(
  name: string,
  help: string,
  of: (latency: NonNullable<InformerStats['latency']>) => LatencyFigures,
): PulledHistogram<InformerFigures> {
  return {
    name,
    help,
    type: 'histogram',
    labels: LABELS,
    buckets: LATENCY_BUCKETS,
    read({ stats }) {
      if (stats.latency === undefined) return undefined;
      const { counts, sumSeconds } = of(stats.latency);
      return { counts, sum: sumSeconds };
    },
  };
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

function lastDigits(resourceVersion: string): number | undefined {
  return resourceVersion === '' ? undefined : Number(resourceVersion.slice(-RESOURCE_VERSION_DIGITS));
}
