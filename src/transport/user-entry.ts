/**
 * The user entry of a kubeconfig with the fields that client-node's type does not have. Its loader drops most of them
 * (see `loadKubeConfig`, which keeps them), and who makes entries by hand may give them under either name.
 */
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';

/** How a credentials plugin is called. Source: `ExecConfig` in client-go's `tools/clientcmd/api/v1/types.go`. */
export interface ExecSpec {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
}

/** What there is besides the fields of client-node's `User`. */
export interface UserExtras {
  /** File that holds a bearer token, and wins over `token`. */
  readonly tokenFile?: string;
  readonly impersonateGroups?: readonly string[];
  readonly impersonateUid?: string;
  readonly impersonateExtra?: Readonly<Record<string, readonly string[]>>;
}

/** Names of the same fields in a kubeconfig file; `token-file` is what client-node reads, once. */
const FILE_NAMES = {
  tokenFile: ['tokenFile', 'token-file'],
  impersonateGroups: ['impersonateGroups', 'as-groups'],
  impersonateUid: ['impersonateUid', 'as-uid'],
  impersonateExtra: ['impersonateExtra', 'as-user-extra'],
} as const;

/** Takes the fields out of an entry of a kubeconfig file, or out of one in memory. */
export function userExtras(entry: object | null | undefined): UserExtras {
  const given = (entry ?? {}) as Record<string, unknown>;
  const extras = Object.entries(FILE_NAMES).map(([field, names]) => {
    const name = names.find((one) => given[one] !== undefined && given[one] !== null);
    return [field, name === undefined ? undefined : given[name]] as const;
  });
  return Object.fromEntries(extras.filter(([, value]) => value !== undefined));
}

/** The plugin of a user; client-node also knows it by an auth provider, as very old kubeconfigs have it. */
export function execOf(user: User | null): ExecSpec | undefined {
  return (user?.exec ?? user?.authProvider?.config?.exec ?? undefined) as ExecSpec | undefined;
}

/** The file whose text is the user's token. In a cluster it comes from an auth provider of client-node's. */
export function tokenFileOf(user: User | null): string | undefined {
  return userExtras(user).tokenFile ?? (user?.authProvider?.config?.tokenFile as string | undefined);
}

/** For messages: who is to reach what. */
export function namesOf(cluster: Cluster | null, user: User | null): string {
  return `cluster ${cluster?.name ?? 'none'}, user ${user?.name ?? 'none'}`;
}

/** What of a user's entry must not be repeated in texts of others. */
export function knownSecrets(kubeConfig: KubeConfig): string[] {
  const user = kubeConfig.getCurrentUser();
  const config: Record<string, unknown> = user?.authProvider?.config ?? {};
  const env = execOf(user)?.env ?? [];
  const secrets = [
    user?.token,
    user?.password,
    config['client-secret'],
    config['id-token'],
    config['refresh-token'],
    config['access-token'],
    ...env.map(({ value }) => value),
  ];
  return secrets.filter((secret): secret is string => typeof secret === 'string' && isWorthHiding(secret));
}

/** A region or `true` is no secret, and would be cut out of each word that has it. */
const SHORTEST_SECRET_CHARS = 6;

function isWorthHiding(text: string): boolean {
  return text.length >= SHORTEST_SECRET_CHARS;
}
