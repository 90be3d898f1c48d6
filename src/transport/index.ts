/** Connections to API servers: undici in the worker, the KubeConfig's credentials on the home thread. */

export { CredentialsBroker } from './credentials-broker.ts';
export { describeTransportError } from './describe-error.ts';
export { Dispatchers, KEEP_ALIVE_MS } from './dispatchers.ts';
export { CredentialsError, TransportError } from './errors.ts';
export { type LoadOptions, loadKubeConfig } from './load-kube-config.ts';
export type { ConnectionInfo } from './types.ts';
export { UndiciTransport } from './undici-transport.ts';
