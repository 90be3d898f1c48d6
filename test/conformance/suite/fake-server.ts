import { FakeApiServer } from '../../../src/testing/index.ts';
import { Connection } from '../harness/connection.ts';
import { type ServerUnderTest, WIDGETS } from './server-under-test.ts';

/** The fake API server as the suite wants a server. */
export async function openFakeServer(): Promise<ServerUnderTest & { close(): Promise<void> }> {
  const server = await FakeApiServer.start({ resources: [WIDGETS], gzip: true });
  const api = new Connection({ url: server.url });
  return {
    name: 'the fake API server',
    kubeConfig: () => server.kubeConfig(),
    api,
    async close() {
      await api.close();
      await server.stop();
    },
  };
}
