/** Connections to API servers: undici in the worker, the KubeConfig's credentials on the home thread. */

export { connectionInfo } from './connection-info.ts';
export { CredentialsBroker } from './credentials-broker.ts';
export { CredentialsError, TransportError } from './errors.ts';
export type { ConnectionInfo } from './types.ts';
export { UndiciTransport } from './undici-transport.ts';
