import type { Socket } from 'node:net';
import { SocksClient } from 'socks';
import { buildConnector } from 'undici';

/** Code of the errors of a connection that a SOCKS proxy did not make. */
export const SOCKS_FAILED = 'SOCKS_FAILED';

const DEFAULT_PORT = 1080;

/** Options of undici's connector that are always given here. */
interface ConnectorOptions {
  timeout: number;
  keepAlive: boolean;
  keepAliveInitialDelay: number;
}

/**
 * Makes undici's connections through a SOCKS proxy, which also resolves the server's name. TLS is undici's own, over the
 * socket that the proxy gave.
 *
 * @param target - TLS and TCP options of the connection to the server; `timeout` is for the proxy too
 */
export function socksConnector(proxyUrl: string, target: ConnectorOptions): buildConnector.connector {
  const secure = buildConnector(target);
  const proxy = proxyOf(new URL(proxyUrl));
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const connected = SocksClient.createConnection({
      proxy,
      command: 'connect',
      destination: { host: options.hostname, port },
      timeout: target.timeout,
    });
    connected.then(
      ({ socket }) => {
        if (target.keepAlive) socket.setKeepAlive(true, target.keepAliveInitialDelay);
        if (options.protocol === 'https:') secure({ ...options, httpSocket: socket as Socket }, callback);
        else callback(null, socket as Socket);
      },
      (error: Error) => callback(socksError(error), null),
    );
  };
}

function proxyOf({ protocol, hostname, port, username, password }: URL) {
  const type: 4 | 5 = protocol.startsWith('socks4') ? 4 : 5;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || DEFAULT_PORT,
    type,
    ...(username !== '' && { userId: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** The library's errors carry its options, and these the password. */
function socksError({ message }: Error): Error {
  return Object.assign(new Error(message), { code: SOCKS_FAILED });
}
