/** Which proxy leads to an API server: the one of its cluster's entry, or the one of the environment, as in kubectl. */
import { BlockList, isIP } from 'node:net';
import type { Cluster } from '@kubernetes/client-node';
import { CredentialsError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = ['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:'];

/**
 * The URL of the proxy; undefined when there is none.
 *
 * @throws CredentialsError when it is no URL of a proxy that is known; the message does not repeat it, for it may
 *   have a password
 */
export function proxyOf(
  { name, proxyUrl }: Cluster,
  server: URL,
  environment: Environment,
): string | undefined {
  if (proxyUrl) return checked(proxyUrl, `the proxy-url of cluster ${name}`, 'correct it in the kubeconfig');
  const variable = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = environment[variable] || environment[variable.toLowerCase()];
  if (!value || isExempt(server, environment.NO_PROXY || environment.no_proxy || '')) return undefined;
  const url = value.includes('://') ? value : `http://${value}`;
  return checked(url, `the environment's ${variable}`, `correct it, or name ${server.hostname} in NO_PROXY`);
}

function checked(url: string, what: string, remedy: string): string {
  if (URL.canParse(url) && PROTOCOLS.includes(new URL(url).protocol)) return url;
  throw new CredentialsError(`${what} is no URL of an HTTP or SOCKS proxy; ${remedy}`, {
    code: 'bad-proxy-url',
  });
}

/**
 * Whether a host is to be reached without the environment's proxy. Source: Go's
 * `golang.org/x/net/http/httpproxy`, which kubectl uses.
 */
function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return true;
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

/** `*`, `10.0.0.0/8`, `10.1.2.3`, `example.com` with what is below it, `.example.com` without itself; `:port`. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInside(host, entry);
  const { name, entryPort } = splitPort(entry);
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  if (name.startsWith('*.')) return host.endsWith(name.slice(1));
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function splitPort(entry: string): { name: string; entryPort: string | undefined } {
  if (isIP(entry) !== 0) return { name: entry, entryPort: undefined };
  const [, bracketed, name = bracketed ?? '', entryPort] =
    /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  return { name, entryPort };
}

function isInside(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
