/** Metrics of controllers and queues: those that they write, and those that are read of controllers. */
import { CONTROLLER_METRICS, type Controller } from '../controller/index.ts';
import { QUEUE_METRICS, type QueueHistogramSpec, type QueueMetricSpec } from '../workqueue/index.ts';
import type { Metric, PulledMetric } from './metric.ts';

/** Metrics that are read of a controller when somebody asks. */
export const CONTROLLER_STATE_METRICS: readonly PulledMetric<Pick<Controller, 'stats' | 'elector'>>[] = [
  {
    name: 'kubering_controller_waiting_for_cache',
    help: 'Keys that wait until the cache has what their last reconcile wrote',
    type: 'gauge',
    labels: ['controller'],
    read: ({ stats }) => stats.waitingForCache,
  },
  {
    name: 'kubering_controller_leading',
    help: '1 when this process is the leader; no sample without leader election',
    type: 'gauge',
    labels: ['controller'],
    read: ({ elector }) => (elector === undefined ? undefined : Number(elector.isLeader())),
  },
  {
    name: 'kubering_controller_election_slow_paths_total',
    help: 'Renewals of the lease that had to read it first; no sample without leader election',
    type: 'counter',
    labels: ['controller'],
    read: ({ elector }) => elector?.slowPaths,
  },
];

const QUEUE_GAUGES: readonly QueueMetricSpec[] = [
  QUEUE_METRICS.depth,
  QUEUE_METRICS.unfinishedWork,
  QUEUE_METRICS.longestRunningProcessor,
];

const CONTROLLER_GAUGES: readonly QueueMetricSpec[] = [
  CONTROLLER_METRICS.maxConcurrent,
  CONTROLLER_METRICS.active,
];

/** Metrics that queues and controllers write themselves, because they are made for it. */
export const WRITTEN_METRICS: readonly Metric[] = [
  ...Object.values(QUEUE_METRICS).map((spec) => written(spec, ['name'], QUEUE_GAUGES)),
  ...Object.values(CONTROLLER_METRICS).map((spec) =>
    written(
      spec,
      spec === CONTROLLER_METRICS.reconciles ? ['controller', 'result'] : ['controller'],
      CONTROLLER_GAUGES,
    ),
  ),
];

function written(
  spec: QueueMetricSpec | QueueHistogramSpec,
  labels: readonly string[],
  gauges: readonly QueueMetricSpec[],
): Metric {
  const { name, help } = spec;
  if ('buckets' in spec) return { name, help, type: 'histogram', labels, buckets: spec.buckets };
  const type = gauges.includes(spec) ? 'gauge' : 'counter';
  return {
    name,
    help,
    type,
    labels,
    ...(spec === QUEUE_METRICS.longestRunningProcessor && { merge: 'max' }),
  };
}
