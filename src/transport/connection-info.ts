import { readFile } from 'node:fs/promises';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import { forgetCachedCredentials, trustIdTokenOnly } from './authenticator-caches.ts';
import { explainCredentials } from './describe-credentials-error.ts';
import { CredentialsError, redact } from './errors.ts';
import type { ConnectionInfo, TlsMaterial } from './types.ts';

/** What a KubeConfig knows of TLS: the options of an https.Agent. */
type AgentOptions = Parameters<KubeConfig['createDispatcherOptions']>[1];

/**
 * Takes out of a KubeConfig what a worker needs to make requests. Runs where the KubeConfig lives, because exec plugins,
 * files and custom authenticators can't be sent to a worker.
 *
 * @param refresh - the credentials were refused: ask plugins and files again, don't use what they said before
 * @throws CredentialsError when there is no cluster, its URL is bad, or the credentials can't be had
 */
export async function connectionInfo(kubeConfig: KubeConfig, refresh: boolean): Promise<ConnectionInfo> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    const context = kubeConfig.getCurrentContext() || 'none';
    const message = `the kubeconfig has no cluster for its current context (${context}); set current-context, or load another file`;
    throw new CredentialsError(message, { code: 'no-cluster' });
  }
  const server = checkedServer(cluster);
  const proxyUrl = checkedProxy(cluster);
  try {
    trustIdTokenOnly(kubeConfig);
    if (refresh) forgetCachedCredentials(kubeConfig);
    const { headers, agentOptions } = await applyAuthentication(kubeConfig);
    const tls = await withClusterTls(tlsOf(agentOptions), cluster);
    return { server, headers: checkedHeaders(headers), tls, ...(proxyUrl !== undefined && { proxyUrl }) };
  } catch (error) {
    throw explainCredentials(error, kubeConfig);
  }
}

/**
 * Lets the KubeConfig authenticate a request that is never made, and notes what it would have set. It is asked through
 * an object derived from it, so that it builds no connections of its own and the user's object stays as it is.
 */
async function applyAuthentication(kubeConfig: KubeConfig) {
  const headers: Record<string, string> = {};
  let agentOptions: AgentOptions = {};
  const recorder = Object.create(kubeConfig) as KubeConfig;
  const createDispatcherOptions: KubeConfig['createDispatcherOptions'] = (cluster, options) => {
    agentOptions = options;
    return kubeConfig.createDispatcherOptions(cluster, options);
  };
  Object.assign(recorder, {
    createDispatcherOptions,
    createDispatcher(cluster: Cluster, options: AgentOptions) {
      createDispatcherOptions(cluster, options);
    },
  });
  const request = {
    setHeaderParam(name: string, value: string) {
      headers[name] = value;
    },
    setDispatcher() {},
  };
  await recorder.applySecurityAuthentication(
    request as unknown as Parameters<KubeConfig['applySecurityAuthentication']>[0],
  );
  return { headers, agentOptions };
}

/** Adds what the cluster says of TLS. A KubeConfig applies it only to contexts that have a user. */
async function withClusterTls(tls: TlsMaterial, cluster: Cluster): Promise<TlsMaterial> {
  const ca = tls.ca ?? (await clusterCa(cluster));
  return {
    ...(ca !== undefined && { ca }),
    ...(cluster.tlsServerName && { servername: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify && { rejectUnauthorized: false }),
    ...tls,
  };
}

async function clusterCa({ caFile, caData }: Cluster): Promise<string | undefined> {
  if (caFile) return readFile(caFile, 'utf8');
  return caData ? Buffer.from(caData, 'base64').toString('utf8') : undefined;
}

function tlsOf(options: AgentOptions): TlsMaterial {
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = options;
  return withoutAbsent({
    ca: pemText(ca),
    cert: pemText(cert),
    key: pemText(key),
    // A copy: cloning a slice of Node's buffer pool would send all that lies in the pool.
    pfx: pfx instanceof Uint8Array ? new Uint8Array(pfx) : undefined,
    passphrase,
    servername,
    rejectUnauthorized,
  });
}

/** PEM as one text; several certificates follow one another. */
function pemText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(pemText).join('\n');
  return undefined;
}

function withoutAbsent(tls: { [Name in keyof TlsMaterial]: TlsMaterial[Name] | undefined }): TlsMaterial {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}

/** Token files end in a newline, which no header may hold. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const trimmed = value.trim();
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(trimmed)) {
      const message = `the value of the header ${name} has characters that no header may have; check the token and its file`;
      throw new CredentialsError(message, { code: 'invalid-header' });
    }
    checked[name] = trimmed;
  }
  return checked;
}

function checkedServer({ name, server }: Cluster): string {
  const url = URL.canParse(server ?? '') ? new URL(server) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    const message = `the server of cluster ${name} is no http or https URL: ${JSON.stringify(redact(String(server)))}`;
    throw new CredentialsError(`${message}; correct it in the kubeconfig`, { code: 'bad-server-url' });
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function checkedProxy({ name, proxyUrl }: Cluster): string | undefined {
  if (!proxyUrl) return undefined;
  const protocol = URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : '';
  if (['http:', 'https:'].includes(protocol)) return proxyUrl;
  const message = `the proxy-url of cluster ${name} is no http or https URL; SOCKS is not supported, use an HTTP proxy`;
  throw new CredentialsError(message, { code: 'bad-proxy-url' });
}
