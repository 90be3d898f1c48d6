/**
 * Metrics of informers, queues and controllers, a binding of them to prom-client, and channels for tracers. Published as
 * `kubering/metrics`.
 *
 * @packageDocumentation
 */
export { CHANNELS, type InformerMessages, traceInformers } from './channels.ts';
export { MetricsError } from './errors.ts';
export type { Metric, MetricFamily, MetricSample, MetricType } from './metric.ts';
export { type MetricsSources, type PromRegister, registerMetrics } from './prom-client.ts';
export { METRICS, MetricsRegistry } from './registry.ts';
export { MAX_SERIES_PER_METRIC, OVERFLOW_LABEL } from './series.ts';
