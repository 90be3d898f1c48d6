/** The controller: from events of informers to reconciles, one per key at a time. */

export type {
  ListersOf,
  NamedInformers,
  ReconcileContext,
  ReconcileFunction,
} from './context.ts';
export {
  Controller,
  type ControllerEvents,
  type ControllerStats,
  type EnqueueOptions,
} from './controller.ts';
export {
  ControllerError,
  DrainTimeoutError,
  ReconcileModuleError,
  ReconcileTimeoutError,
  TerminalError,
} from './errors.ts';
export {
  CONTROLLER_METRICS,
  type ControllerMetricLabels,
  type ControllerMetricsProvider,
} from './metrics.ts';
export type { ControllerElection, ControllerOptions, Owned } from './options.ts';
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
} from './predicates.ts';
export type { ReconcileRequest } from './request.ts';
export type { ReconcileResult } from './result.ts';
export { type MapFunction, type MappedKeys, type Watch, watch } from './sources.ts';
export { ReconcileThreadError } from './thread.ts';
export type { TrackableClient } from './tracked-client.ts';
