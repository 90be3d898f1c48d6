/** List/watch of one resource: everything between a transport and a sink. Knows neither sockets nor stores. */

export { ConnectBudget } from './connect-budget.ts';
export { ListReason, type ReflectorObserver } from './observer.ts';
export { OneList, type OneListOptions, type OneListResult } from './one-list.ts';
export type { InitialList, ReflectorOptions } from './options.ts';
export { Reflector } from './reflector.ts';
export { compareResourceVersions, isComparable, isOlder } from './resource-version.ts';
export { ReflectorStateError } from './state-machine.ts';
export type {
  ApiRequest,
  ApiStatus,
  BodyProblem,
  Clock,
  DeltaSink,
  Exchange,
  ListEnvelope,
  ListReader,
  ReflectorNotice,
  ReflectorState,
  ResourceRef,
  ResponseHandlers,
  Transport,
  WatchReader,
  WatchStart,
} from './types.ts';
export { ReadState } from './types.ts';
export { describeResource, InvalidResourceError, resourcePath } from './urls.ts';
