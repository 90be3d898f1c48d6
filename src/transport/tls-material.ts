import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Cluster } from '@kubernetes/client-node';
import type { AgentOptions } from './client-node.ts';
import { CredentialsError, safeCause } from './errors.ts';
import type { TlsMaterial } from './types.ts';

/**
 * Checks on the home thread what TLS would refuse in the worker without saying which part of it.
 *
 * @param whose - of the client certificate, for the message: `of the user`
 * @throws CredentialsError when certificates or keys can't be read or do not belong together
 */
export function checkTls({ ca, cert, key, pfx, passphrase }: TlsMaterial, whose: string): void {
  if (ca !== undefined)
    check('the CA of the cluster is no certificate in PEM', () => new X509Certificate(ca));
  if (cert !== undefined && key === undefined && pfx === undefined) {
    const message = `the client certificate ${whose} has no key; set client-key or client-key-data too`;
    throw new CredentialsError(message, { code: 'bad-certificate' });
  }
  if (cert === undefined && key === undefined && pfx === undefined) return;
  check(`client certificate and key ${whose} can't be used together`, () =>
    createSecureContext({
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(pfx !== undefined && { pfx: Buffer.from(pfx) }),
      ...(passphrase !== undefined && { passphrase }),
    }),
  );
}

/** When a client certificate ended, if it did. */
export function endOfExpired(cert: string | undefined, nowMs: number): Date | undefined {
  if (cert === undefined) return undefined;
  const end = new X509Certificate(cert).validToDate;
  return end.getTime() < nowMs ? end : undefined;
}

function check(what: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    const cause = safeCause(error);
    const message = `${what}: ${cause.message}; make the kubeconfig anew, or correct its files`;
    throw new CredentialsError(message, { code: 'bad-certificate', cause });
  }
}

/** Adds what the cluster says of TLS. A KubeConfig applies it only to contexts that have a user. */
export async function withClusterTls(tls: TlsMaterial, cluster: Cluster): Promise<TlsMaterial> {
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

/** What of an agent's options is TLS material. */
export function tlsOf(options: AgentOptions): TlsMaterial {
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
