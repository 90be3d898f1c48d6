import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it, mock } from 'node:test';
import { UndiciTransport } from '../../src/transport/index.ts';
import { get, serve } from './servers.ts';

describe('TCP keep-alive of UndiciTransport', () => {
  for (const [what, options, expected] of [
    ['probes after 30 s by default', {}, [[true, 30_000]]],
    ['probes after the time that is given', { keepAliveMs: 5000 }, [[true, 5000]]],
    ['can be switched off', { keepAliveMs: 0 }, []],
  ] as const) {
    it(what, async () => {
      const server = await serve((_request, response) => response.end('{}'));
      const setKeepAlive = mock.method(Socket.prototype, 'setKeepAlive');
      const info = { server: server.url, headers: {}, tls: {} };
      const transport = new UndiciTransport(async () => info, options);
      try {
        await get(transport, '/');
        assert.deepEqual(
          setKeepAlive.mock.calls.map((call) => [...call.arguments]),
          expected,
        );
      } finally {
        setKeepAlive.mock.restore();
        await transport.close();
        await server.close();
      }
    });
  }
});
