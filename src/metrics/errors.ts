/** Metrics that can't be had as asked: a name that is taken, or something that is no metric of kubering. */
export class MetricsError extends Error {
  override readonly name = 'MetricsError';
  readonly code = 'KUBERING_METRICS';
}
