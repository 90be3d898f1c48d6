/** The page `/metrics` of the demo, made by prom-client, for this machine only. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { SharedInformerFactory } from '../../src/index.ts';
import { registerMetrics } from '../../src/metrics/index.ts';
import type { Display } from './display.ts';

interface MetricsPage {
  readonly factory: SharedInformerFactory;
  /** 0 for any that is free; undefined for no page. */
  readonly port: number | undefined;
  readonly display: Display;
}

/**
 * Does something while the page can be asked for.
 *
 * @throws Error when the port can't be had; and what `work` throws
 */
export async function withMetricsPage<T>(
  { factory, port, display }: MetricsPage,
  work: () => Promise<T>,
): Promise<T> {
  if (port === undefined) return work();
  const register = new Registry();
  registerMetrics({ factory }, register);
  const server = createServer((request, response) => {
    if (request.url === '/metrics' && request.method === 'GET') void answer(register, response);
    else response.writeHead(404).end('there is only GET /metrics\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  display.say(`metrics on http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  try {
    return await work();
  } finally {
    server.close();
    // A scraper keeps its connection.
    server.closeAllConnections();
  }
}

async function answer(register: Registry, response: ServerResponse): Promise<void> {
  try {
    const page = await register.metrics();
    response.writeHead(200, { 'content-type': register.contentType }).end(page);
  } catch (error) {
    response.writeHead(500).end(`${(error as Error).message}\n`);
  }
}
