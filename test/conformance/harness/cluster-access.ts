/** What the tests have to know of the cluster that `run.ts` started for them. */
import { KubeConfig } from '@kubernetes/client-node';
import type { Identity } from '../../transport/certificates.ts';

/** A bearer token, and who has it. */
export interface UserToken {
  readonly token: string;
  readonly user: string;
  readonly groups: readonly string[];
}

export interface ClusterAccess {
  readonly url: string;
  /** Signed the server's certificate and those of clients. */
  readonly ca: string;
  /** Signed the stranger's certificate only. */
  readonly otherCa: string;
  readonly client: Identity;
  readonly stranger: Identity;
  readonly expired: Identity;
  readonly tokens: readonly UserToken[];
}

/** May do everything. */
export const ADMIN: UserToken = { token: 'admin-token', user: 'admin', groups: ['system:masters'] };

/** May do what a test's role binding says, and nothing else. */
export const GUEST: UserToken = { token: 'guest-token', user: 'guest', groups: [] };

type User = Parameters<KubeConfig['loadFromOptions']>[0]['users'][number];

/** A KubeConfig of one cluster and one user. */
export function kubeConfigOf(cluster: { url: string; ca?: string }, user: Omit<User, 'name'>): KubeConfig {
  const { url, ca } = cluster;
  const config = new KubeConfig();
  const trust =
    ca === undefined
      ? { skipTLSVerify: true }
      : { skipTLSVerify: false, caData: Buffer.from(ca).toString('base64') };
  config.loadFromOptions({
    clusters: [{ name: 'conformance', server: url, ...trust }],
    users: [{ name: 'tester', ...user }],
    contexts: [{ name: 'conformance', cluster: 'conformance', user: 'tester' }],
    currentContext: 'conformance',
  });
  return config;
}
