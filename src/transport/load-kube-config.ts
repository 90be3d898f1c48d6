import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type * as ClientNode from '@kubernetes/client-node';
import { CredentialsError, codeOfError, safeCause } from './errors.ts';
import { userExtras } from './user-entry.ts';

/** All fields are optional. */
export interface LoadOptions {
  /** A kubeconfig file. @default what kubectl takes: the files of KUBECONFIG, ~/.kube/config, or the Pod's own */
  readonly file?: string;
  /** Context in place of the file's current one. */
  readonly context?: string;
}

interface RawEntry {
  readonly name?: string;
  readonly user?: object | null;
  readonly cluster?: { readonly extensions?: unknown } | null;
}

interface RawConfig {
  readonly users?: readonly RawEntry[] | null;
  readonly clusters?: readonly RawEntry[] | null;
}

/**
 * Loads a KubeConfig of client-node with what client-node's own loader drops: `tokenFile` of a user, the groups, uid and
 * extra of who is impersonated, and what a cluster has to say to credentials plugins. Relative paths of token files and
 * plugins are taken from where the file lies, as kubectl does.
 *
 * @throws CredentialsError when a file can't be read, is no kubeconfig, or has no such context
 */
export function loadKubeConfig({ file, context }: LoadOptions = {}): ClientNode.KubeConfig {
  // Loaded only here: workers import this part too, and client-node takes longer to load than they take to start.
  const clientNode = createRequire(import.meta.url)('@kubernetes/client-node') as typeof ClientNode;
  const kubeConfig = new clientNode.KubeConfig();
  const files = file === undefined ? defaultFiles(clientNode) : [resolve(file)];
  try {
    if (file === undefined) kubeConfig.loadFromDefault();
    else kubeConfig.loadFromFile(file);
    for (const one of files) {
      const raw = clientNode.loadYaml<RawConfig | string | undefined>(readFileSync(one, 'utf8'));
      if (typeof raw !== 'object') throw new Error('it is no object');
      complete(kubeConfig, raw, dirname(one));
    }
  } catch (error) {
    throw unusable(file ?? files.join(delimiter), error);
  }
  if (context !== undefined) selectContext(kubeConfig, context);
  return kubeConfig;
}

/** Files of which there is more to know; none when there are none. */
function defaultFiles({ findHomeDir }: typeof ClientNode): string[] {
  const named = process.env.KUBECONFIG?.split(delimiter).filter((path) => path !== '') ?? [];
  if (named.length > 0) return named.map((path) => resolve(path));
  const home = findHomeDir();
  const path = home === null ? undefined : join(home, '.kube', 'config');
  return path !== undefined && isThere(path) ? [path] : [];
}

function complete(kubeConfig: ClientNode.KubeConfig, raw: RawConfig, folder: string): void {
  for (const { name, user } of raw.users ?? []) {
    const known = kubeConfig.users.find((one) => one.name === name);
    if (known === undefined) continue;
    const extras = userExtras(user);
    Object.assign(known, extras);
    if (extras.tokenFile !== undefined) {
      // client-node may have read the file, once: that token must not outlive it.
      Object.assign(known, { tokenFile: absolute(folder, extras.tokenFile), token: undefined });
    }
    const command: unknown = known.exec?.command;
    // A name without a slash is looked up in PATH.
    if (typeof command === 'string' && command.includes('/')) known.exec.command = absolute(folder, command);
  }
  for (const { name, cluster } of raw.clusters ?? []) {
    const known = kubeConfig.clusters.find((one) => one.name === name);
    if (known !== undefined && cluster?.extensions) Object.assign(known, { extensions: cluster.extensions });
  }
}

function selectContext(kubeConfig: ClientNode.KubeConfig, context: string): void {
  if (kubeConfig.getContextObject(context) === null) {
    const names = kubeConfig.getContexts().map(({ name }) => name);
    const message = `the kubeconfig has no context ${context}; it has ${names.join(', ') || 'none'}`;
    throw new CredentialsError(message, { code: 'no-context' });
  }
  kubeConfig.setCurrentContext(context);
}

function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

function unusable(files: string, error: unknown): CredentialsError {
  if (codeOfError(error) !== '') {
    const cause = safeCause(error);
    const message = `the kubeconfig ${files} can't be read: ${cause.message}; correct the path, or a path in it`;
    return new CredentialsError(message, { code: 'file-unreadable', cause });
  }
  // A parser quotes the lines around a mistake, and they may be credentials.
  const reason = (error as { reason?: unknown }).reason;
  const said = typeof reason === 'string' ? reason : safeCause(error).message.split('\n')[0];
  const message = `${files} is no kubeconfig: ${said}; correct it, or make it anew`;
  return new CredentialsError(message, { code: 'bad-kubeconfig' });
}
