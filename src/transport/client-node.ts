/**
 * What client-node's KubeConfig does to a request, seen from outside. It is asked to authenticate a request that is
 * never made, as its own API clients ask it, so that classes derived from it and authenticators that were added to it
 * have their say.
 */
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import type { ExecCredential } from './exec-credential.ts';

/** What a KubeConfig knows of TLS: the options of an https.Agent. */
export type AgentOptions = Parameters<KubeConfig['createDispatcherOptions']>[1];

/** What a request would have got. */
export interface Authentication {
  readonly headers: Record<string, string>;
  readonly agentOptions: AgentOptions;
}

/** The dispatchers that a KubeConfig makes; each is one of undici's, with connections of its own. */
type CreateDispatcher = (
  cluster: Cluster | null,
  options: AgentOptions,
) => { destroy(): Promise<void> } | undefined;

/**
 * The method is called on the KubeConfig itself: one derived from it (`Object.create`, a Proxy) has no private fields.
 * Nothing but the dispatcher shows what it says of TLS, so the method that makes those is watched meanwhile.
 */
export async function authenticate(kubeConfig: KubeConfig): Promise<Authentication> {
  const headers: Record<string, string> = {};
  let agentOptions: AgentOptions = {};
  const optionsOf = new Map<unknown, AgentOptions>();
  const unwatch = watchDispatchers(kubeConfig, (dispatcher, options) => optionsOf.set(dispatcher, options));
  const request = {
    setHeaderParam(name: string, value: string) {
      headers[name] = value;
    },
    setDispatcher(dispatcher: { destroy(): Promise<void> }) {
      agentOptions = optionsOf.get(dispatcher) ?? {};
      // The connections of a request are made in the worker; this one has none yet.
      void dispatcher.destroy();
    },
  };
  try {
    await kubeConfig.applySecurityAuthentication(
      request as unknown as Parameters<KubeConfig['applySecurityAuthentication']>[0],
    );
  } finally {
    unwatch();
  }
  return { headers, agentOptions };
}

interface Watched {
  readonly listeners: Set<(dispatcher: unknown, options: AgentOptions) => void>;
  readonly unwatch: () => void;
}

const watched = new WeakMap<KubeConfig, Watched>();

/** Others may use the KubeConfig at the same time: they get what they would get anyway. */
function watchDispatchers(
  kubeConfig: KubeConfig,
  listener: (dispatcher: unknown, options: AgentOptions) => void,
): () => void {
  const { listeners, unwatch } = watched.get(kubeConfig) ?? startWatching(kubeConfig);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) unwatch();
  };
}

function startWatching(kubeConfig: KubeConfig): Watched {
  const target = kubeConfig as unknown as { createDispatcher: CreateDispatcher };
  const own = Object.getOwnPropertyDescriptor(target, 'createDispatcher');
  const original = target.createDispatcher;
  const listeners: Watched['listeners'] = new Set();
  const value: CreateDispatcher = (cluster, options) => {
    const dispatcher = original.call(kubeConfig, cluster, options);
    for (const listener of listeners) listener(dispatcher, options);
    return dispatcher;
  };
  Object.defineProperty(target, 'createDispatcher', { value, configurable: true, writable: true });
  const unwatch = () => {
    watched.delete(kubeConfig);
    if (own === undefined) Reflect.deleteProperty(target, 'createDispatcher');
    else Object.defineProperty(target, 'createDispatcher', own);
  };
  const entry = { listeners, unwatch };
  watched.set(kubeConfig, entry);
  return entry;
}

/**
 * The caches of client-node's authenticators. They have no interface, so they are recognised by their fields, and one
 * that looks different is left alone: then client-node gets the same by itself, in its own way.
 */
interface Caches {
  /** Exec plugins: what they said, by user, kept until it expires, or for ever. */
  readonly tokenCache?: unknown;
  /** Token files: the text, and when it was read; it is read again after a minute. One for all users. */
  token?: unknown;
  lastRead?: unknown;
  /** OIDC: when the id token expires, in seconds. One for all users. */
  currentTokenExpiration?: unknown;
}

/** Hands client-node what a plugin said, so that it does not run it too. */
export function handOverExec(kubeConfig: KubeConfig, user: string, credential: ExecCredential): void {
  const { token, cert, key, expiresMs } = credential;
  const status = {
    ...(token !== undefined && { token }),
    ...(cert !== undefined && { clientCertificateData: cert }),
    ...(key !== undefined && { clientKeyData: key }),
    // One that has ended by this machine's clock would make it run the plugin again and again.
    ...(expiresMs !== undefined &&
      expiresMs > Date.now() && { expirationTimestamp: new Date(expiresMs).toISOString() }),
  };
  for (const caches of cachesOf(kubeConfig)) {
    if (typeof caches.tokenCache !== 'object' || caches.tokenCache === null) continue;
    (caches.tokenCache as Record<string, unknown>)[user] = { status };
  }
}

/** Hands client-node the token of a file, so that it reads it neither later nor for another user. */
export function handOverFileToken(kubeConfig: KubeConfig, token: string): void {
  for (const caches of cachesOf(kubeConfig)) {
    if (!('token' in caches && 'lastRead' in caches)) continue;
    caches.token = token;
    caches.lastRead = new Date();
  }
}

/** Keeps client-node from renewing id tokens, which it can't: see `oidc.ts`. */
export function stopOidcRenewal(kubeConfig: KubeConfig): void {
  for (const caches of cachesOf(kubeConfig)) {
    if ('currentTokenExpiration' in caches) caches.currentTokenExpiration = Number.POSITIVE_INFINITY;
  }
}

function cachesOf(kubeConfig: KubeConfig): Caches[] {
  const { authenticators } = kubeConfig as unknown as { authenticators?: unknown };
  if (!Array.isArray(authenticators)) return [];
  return authenticators.filter((entry) => typeof entry === 'object' && entry !== null);
}
