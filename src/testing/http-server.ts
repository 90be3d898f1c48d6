import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { RemoteServerOptions } from './options.ts';
import { TEST_SERVER_CERT, TEST_SERVER_KEY } from './tls-fixture.ts';

/** A server that is not listening yet, with or without TLS, which never gives up on a connection. */
export function makeHttpServer(
  options: RemoteServerOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const { tls = false } = options;
  const pems = tls === true ? { key: TEST_SERVER_KEY, cert: TEST_SERVER_CERT } : tls;
  const http = pems === false ? createServer(listener) : createTlsServer(pems, listener);
  // Watches are requests that take for ever, and clients keep idle connections: no timeouts here.
  http.requestTimeout = 0;
  http.headersTimeout = 0;
  http.keepAliveTimeout = 0;
  http.timeout = 0;
  return http;
}
