import type { KubeConfig } from '@kubernetes/client-node';

/**
 * The caches of client-node's authenticators. They have no interface to empty them, so they are recognised by their
 * fields, and one that looks different is left alone.
 */
interface Caches {
  /** Exec plugins: what they said, by user, kept until it expires, or for ever. */
  readonly tokenCache?: unknown;
  /** Token files: when last read; they are read again after a minute. */
  lastRead?: unknown;
  /** OIDC: when the id token expires, in seconds; 0 asks the token itself. */
  currentTokenExpiration?: unknown;
}

/** A time that is over, but is not the 0 that means 'look into the token'. */
const EXPIRED_SECONDS = 1;

/** After the server refused them: plugins are run again, files are read again, OIDC tokens are renewed. */
export function forgetCachedCredentials(kubeConfig: KubeConfig): void {
  const user = kubeConfig.getCurrentUser();
  for (const caches of cachesOf(kubeConfig)) {
    if (user !== null && typeof caches.tokenCache === 'object' && caches.tokenCache !== null) {
      delete (caches.tokenCache as Record<string, unknown>)[user.name];
    }
    if ('lastRead' in caches) caches.lastRead = null;
    if ('currentTokenExpiration' in caches && canRenew(user?.authProvider?.config)) {
      caches.currentTokenExpiration = EXPIRED_SECONDS;
    }
  }
}

/**
 * Makes OIDC look into the token for its expiry. client-node keeps one expiry for all users, and after a renewal it is
 * the number of seconds left instead of a time, which makes it renew before every request.
 */
export function trustIdTokenOnly(kubeConfig: KubeConfig): void {
  for (const caches of cachesOf(kubeConfig)) {
    if ('currentTokenExpiration' in caches) caches.currentTokenExpiration = 0;
  }
}

/** Without these a renewal gives no token at all, which is worse than the old one. */
function canRenew(config: Record<string, unknown> | undefined): boolean {
  return Boolean(config?.['client-id'] && config['refresh-token'] && config['idp-issuer-url']);
}

function cachesOf(kubeConfig: KubeConfig): Caches[] {
  const { authenticators, custom_authenticators: custom } = kubeConfig as unknown as Record<string, unknown>;
  return [authenticators, custom]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((entry) => typeof entry === 'object' && entry !== null);
}
