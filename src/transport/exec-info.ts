import { readFile } from 'node:fs/promises';
import type { Cluster } from '@kubernetes/client-node';
import type { ExecSpec } from './user-entry.ts';

/** What a plugin is told when its entry does not say which version it speaks. */
const DEFAULT_API_VERSION = 'client.authentication.k8s.io/v1';

/** Extension of a cluster's entry that is handed to plugins as it is. */
const CONFIG_EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * The text of KUBERNETES_EXEC_INFO: what a plugin may know of who calls it.
 * Source: client-go's `pkg/apis/clientauthentication/v1/types.go`.
 */
export async function execInfo(exec: ExecSpec, cluster: Cluster): Promise<string> {
  const spec = {
    // A library must not read from the terminal of its program.
    interactive: false,
    ...(exec.provideClusterInfo === true && { cluster: await clusterInfo(cluster) }),
  };
  const apiVersion = exec.apiVersion ?? DEFAULT_API_VERSION;
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
}

async function clusterInfo(cluster: Cluster) {
  const { server, tlsServerName, skipTLSVerify, caFile, caData, proxyUrl } = cluster;
  const authority = caFile ? await readFile(caFile, 'base64') : caData;
  const config = extensionsOf(cluster).find(({ name }) => name === CONFIG_EXTENSION)?.extension;
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(config !== undefined && { config }),
  };
}

/** client-node's loader drops them; `loadKubeConfig` keeps them. */
function extensionsOf(cluster: Cluster): readonly { name: string; extension: unknown }[] {
  const { extensions } = cluster as { extensions?: readonly { name: string; extension: unknown }[] };
  return Array.isArray(extensions) ? extensions : [];
}
