/**
 * `kubering/testing`: a Kubernetes API server for tests, in memory, over real HTTP, with faults to inject.
 *
 * @packageDocumentation
 */

export type { ChurnMix, ChurnOptions, ChurnResult } from './churn.ts';
export { type Digest, digestOf, type ObjectState } from './digest.ts';
export type { Fault, FaultAction, FaultPlace, FaultScope, Faults } from './faults.ts';
export type { FakeApiServerOptions, RemoteServerOptions } from './options.ts';
export { makePod, type PodOptions } from './pods.ts';
export { Random } from './random.ts';
export type {
  RemoteChurnOptions,
  RemoteFakeApiServer,
  RemoteGenerateOptions,
  RemoteUsage,
  SpawnOptions,
} from './remote.ts';
export { RemoteServerError } from './remote-child.ts';
export type { LoggedRequest } from './request-log.ts';
export type { Verb } from './requests.ts';
export { type ResourceDefinition, type ResourceName, UnknownResourceError } from './resources.ts';
export type { GenerateOptions } from './seed.ts';
export { FakeApiServer, type KubernetesObject } from './server.ts';
export type { ServerStats } from './stats.ts';
export { ApiStatusError, type StatusBody, type StatusDetails } from './status.ts';
export { TEST_CA_CERT } from './tls-fixture.ts';
