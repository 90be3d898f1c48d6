import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { authenticate, handOverExec, handOverFileToken, stopOidcRenewal } from './client-node.ts';
import { CredentialsError } from './errors.ts';
import { parseExecCredential } from './exec-credential.ts';
import { execInfo } from './exec-info.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { runExec } from './exec-run.ts';
import { explainCredentials } from './explain-credentials.ts';
import { checkedHeaders } from './headers.ts';
import { impersonationHeaders } from './impersonation.ts';
import { type OidcConfig, renewIdToken } from './oidc.ts';
import { type Environment, proxyOf } from './proxy.ts';
import { checkedServer } from './server-url.ts';
import { checkTls, endOfExpired, tlsOf, withClusterTls } from './tls-material.ts';
import { TokenFile } from './token-file.ts';
import type { ConnectionInfo, RequestHeaders, TlsMaterial } from './types.ts';
import { type ExecSpec, execOf, namesOf, tokenFileOf, userExtras } from './user-entry.ts';

/** A plugin that takes longer waits for somebody, and nobody may be there. */
export const PLUGIN_LIMIT_MS = 60_000;

/** What is asked of a source. All fields are optional. */
export interface CredentialsRequest {
  /** The last credentials were refused: ask plugins, files and identity providers again. */
  readonly refresh?: boolean;
  /** Longest time that a credentials plugin may run, in milliseconds. Default {@link PLUGIN_LIMIT_MS}. */
  readonly pluginLimitMs?: number | undefined;
}

/** What a source takes from its surroundings; tests give their own. */
export interface SourceOptions {
  /** Milliseconds since 1970. Default Date.now. */
  readonly now?: () => number;
  /** Default process.env. */
  readonly environment?: Environment;
}

/**
 * Takes out of one KubeConfig what a worker needs to make requests, and remembers between two requests what plugins and
 * files said. Lives where the KubeConfig lives, because plugins, files and custom authenticators can't be sent to a
 * worker.
 */
export class CredentialsSource {
  readonly #kubeConfig: KubeConfig;
  readonly #now: () => number;
  readonly #environment: Environment;
  /** By user entry; `spec` tells when the entry is another one now. */
  readonly #plugins = new Map<string, { readonly spec: string; readonly plugin: ExecPlugin }>();
  readonly #tokenFiles = new Map<string, TokenFile>();
  #checkedTls = '';

  constructor(
    kubeConfig: KubeConfig,
    { now = () => Date.now(), environment = process.env }: SourceOptions = {},
  ) {
    this.#kubeConfig = kubeConfig;
    this.#now = now;
    this.#environment = environment;
  }

  /** @throws CredentialsError when there is no cluster, its entries are bad, or the credentials can't be had */
  async read({
    refresh = false,
    pluginLimitMs = PLUGIN_LIMIT_MS,
  }: CredentialsRequest): Promise<ConnectionInfo> {
    const cluster = this.#cluster();
    const user = this.#kubeConfig.getCurrentUser();
    const names = namesOf(cluster, user);
    try {
      this.#checkUser(user);
      const server = checkedServer(cluster);
      const proxyUrl = proxyOf(cluster, new URL(server), this.#environment);
      const fileToken = await this.#prepare(cluster, user, { refresh, pluginLimitMs });
      const { headers, agentOptions } = await authenticate(this.#kubeConfig);
      const tls = await withClusterTls(tlsOf(agentOptions), cluster);
      this.#checkTls(tls);
      const identity = { ...withFileToken(headers, user, fileToken), ...impersonationHeaders(user) };
      if (refresh && identity.Authorization === undefined) this.#checkExpiry(tls);
      return {
        names,
        server,
        headers: checkedHeaders(identity),
        tls,
        ...(proxyUrl !== undefined && { proxyUrl }),
      };
    } catch (error) {
      throw explainCredentials(error, this.#kubeConfig, names);
    }
  }

  #cluster(): Cluster {
    const cluster = this.#kubeConfig.getCurrentCluster();
    if (cluster !== null) return cluster;
    const context = this.#kubeConfig.getCurrentContext() || 'none';
    const message = `the kubeconfig has no cluster for its current context (${context}); set current-context, or load another file`;
    throw new CredentialsError(message, { code: 'no-cluster' });
  }

  /** client-node sends no credentials for a user that is not there. */
  #checkUser(user: User | null): void {
    const named = this.#kubeConfig.getContextObject(this.#kubeConfig.getCurrentContext())?.user;
    if (user !== null || !named) return;
    const message = `the kubeconfig has no user ${named}, whom its current context names; add the user, or set another context`;
    throw new CredentialsError(message, { code: 'no-user' });
  }

  /** Does what client-node does worse or not at all, and hands it the result. Gives the token of a file. */
  async #prepare(
    cluster: Cluster,
    user: User | null,
    request: { readonly refresh: boolean; readonly pluginLimitMs: number },
  ): Promise<string | undefined> {
    const exec = execOf(user);
    if (user !== null && exec !== undefined) {
      const plugin = this.#pluginOf(user, exec, cluster);
      const credential = await plugin.credential(request.refresh, request.pluginLimitMs);
      handOverExec(this.#kubeConfig, user.name, credential);
    }
    if (user?.authProvider?.name === 'oidc') {
      user.authProvider.config ??= {};
      const config: OidcConfig = user.authProvider.config;
      await renewIdToken(config, request.refresh, this.#now());
      stopOidcRenewal(this.#kubeConfig);
    }
    const path = tokenFileOf(user);
    if (path === undefined) return undefined;
    const token = await this.#tokenFileAt(path).token(request.refresh);
    handOverFileToken(this.#kubeConfig, token);
    return token;
  }

  #pluginOf(user: User, exec: ExecSpec, cluster: Cluster): ExecPlugin {
    const spec = JSON.stringify([exec, exec.provideClusterInfo === true && cluster]);
    const known = this.#plugins.get(user.name);
    if (known?.spec === spec) return known.plugin;
    const run = async (limitMs: number) => {
      const info = await execInfo(exec, cluster);
      return parseExecCredential(exec, await runExec({ exec, info, limitMs }));
    };
    const plugin = new ExecPlugin({ run, now: this.#now });
    this.#plugins.set(user.name, { spec, plugin });
    return plugin;
  }

  #tokenFileAt(path: string): TokenFile {
    const known = this.#tokenFiles.get(path);
    if (known !== undefined) return known;
    const file = new TokenFile(path, this.#now);
    this.#tokenFiles.set(path, file);
    return file;
  }

  /** Once for each material: it costs milliseconds. */
  #checkTls(tls: TlsMaterial): void {
    const text = JSON.stringify([tls.ca, tls.cert, tls.key, tls.passphrase]) + (tls.pfx?.length ?? 0);
    if (text === this.#checkedTls) return;
    checkTls(tls, 'of the user');
    this.#checkedTls = text;
  }

  /** A server that takes no expired certificate may say only that it knows nobody. */
  #checkExpiry({ cert }: TlsMaterial): void {
    const end = endOfExpired(cert, this.#now());
    if (end === undefined) return;
    const message = `the client certificate has expired at ${end.toISOString()}; renew it`;
    throw new CredentialsError(message, { code: 'client-certificate-expired' });
  }
}

/** The token of a file wins over one in the entry, but not over what a derived class says. */
function withFileToken(
  headers: Readonly<Record<string, string>>,
  user: User | null,
  fileToken: string | undefined,
): RequestHeaders {
  if (fileToken === undefined || userExtras(user).tokenFile === undefined) return headers;
  const { Authorization: given } = headers;
  const isOfEntry = given === undefined || given === `Bearer ${user?.token}`;
  return isOfEntry ? { ...headers, Authorization: `Bearer ${fileToken}` } : headers;
}
