/** One question to the API server: which resources does it have in a group and version? */
import type { KubeConfig } from '@kubernetes/client-node';
import { CredentialsBroker, UndiciTransport } from '../transport/index.ts';
import { DiscoveryError } from './errors.ts';

/** A resource as discovery describes it. */
export interface DiscoveredResource {
  /** Plural, or plural and subresource: 'pods', 'pods/status'. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** The largest groups answer with some 30 KB: a server that does not answer in this time never will. */
const ANSWER_LIMIT_MS = 30_000;

/** Beyond this, the answer is none of an API server. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * The resources of a group and version; undefined when the server does not have it.
 *
 * @param apiVersion - as in manifests: 'v1' or 'apps/v1'
 * @throws DiscoveryError when it can't be asked, or says no
 */
export async function discover(
  kubeConfig: KubeConfig,
  apiVersion: string,
  signal: AbortSignal = AbortSignal.timeout(ANSWER_LIMIT_MS),
): Promise<readonly DiscoveredResource[] | undefined> {
  const path = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion.split('/').map(encodeURIComponent).join('/')}`;
  const broker = new CredentialsBroker();
  const transport = new UndiciTransport((refresh) => broker.connectionInfo(kubeConfig, refresh));
  try {
    let answer = await get(transport, path, false, signal);
    if (answer.status === 401) answer = await get(transport, path, true, signal);
    return resourcesIn(answer, apiVersion);
  } catch (cause) {
    if (cause instanceof DiscoveryError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DiscoveryError(`the API server can't be asked for its resources in ${apiVersion}: ${reason}`, {
      cause,
    });
  } finally {
    await transport.close();
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function get(
  transport: UndiciTransport,
  path: string,
  refresh: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let status = 0;
    let bytes = 0;
    const chunks: Uint8Array[] = [];
    const exchange = transport.open(
      { path, headers: { accept: 'application/json' }, refreshCredentials: refresh },
      {
        onResponse: (code) => {
          status = code;
        },
        onData: (chunk) => {
          bytes += chunk.length;
          if (bytes <= ANSWER_LIMIT_BYTES) chunks.push(chunk);
          else giveUp(new Error(`its answer has more than ${ANSWER_LIMIT_BYTES} bytes`));
        },
        onEnd: () => {
          signal.removeEventListener('abort', onAbort);
          resolve({ status, text: Buffer.concat(chunks).toString() });
        },
        onError: (error) => {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      },
    );
    const giveUp = (reason: unknown) => {
      signal.removeEventListener('abort', onAbort);
      exchange.abort();
      reject(reason);
    };
    const onAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function resourcesIn(
  { status, text }: Answer,
  apiVersion: string,
): readonly DiscoveredResource[] | undefined {
  if (status === 404) return undefined;
  if (status !== 200) {
    throw new DiscoveryError(
      `the API server answered ${status} when asked for its resources in ${apiVersion}; ` +
        'check the credentials, or name the resource with customResource(…)',
      { status },
    );
  }
  const { resources } = JSON.parse(text) as { resources?: unknown };
  if (!Array.isArray(resources)) {
    throw new DiscoveryError(
      `what answered when asked for the resources in ${apiVersion} is no Kubernetes API; check the server URL`,
      { status },
    );
  }
  return resources.filter(isResource);
}

function isResource(value: unknown): value is DiscoveredResource {
  const { name, kind, namespaced, verbs } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    typeof kind === 'string' &&
    typeof namespaced === 'boolean' &&
    Array.isArray(verbs)
  );
}
