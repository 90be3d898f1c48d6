/** What a simulated worker has in place of sockets. Asks for credentials before each request, as the real transport. */
import type { ApiRequest, Exchange, ResponseHandlers } from '../../src/reflector/index.ts';
import type { ConnectionInfo } from '../../src/transport/index.ts';
import type { ServerTransport } from '../../src/worker/servers.ts';
import { Connection } from './connection.ts';
import type { VirtualThread } from './virtual-loop.ts';
import type { World } from './world.ts';

export class VirtualTransport implements ServerTransport {
  readonly #world: World;
  readonly #thread: VirtualThread;
  readonly #connect: (refresh: boolean) => Promise<ConnectionInfo>;
  readonly #open = new Set<Connection>();

  constructor(world: World, thread: VirtualThread, connect: (refresh: boolean) => Promise<ConnectionInfo>) {
    this.#world = world;
    this.#thread = thread;
    this.#connect = connect;
  }

  open(request: ApiRequest, handlers: ResponseHandlers): Exchange {
    const { loop, network, cluster } = this.#world;
    const connection = new Connection({
      loop,
      thread: this.#thread,
      random: network,
      handlers,
      latencyMs: network.fraction() ** 4 * 200,
      onClosed: () => {
        this.#open.delete(connection);
        cluster.closed(connection);
      },
    });
    this.#open.add(connection);
    void this.#start(request, connection);
    return connection;
  }

  async close(): Promise<void> {
    for (const connection of [...this.#open]) connection.abort();
  }

  async #start(request: ApiRequest, connection: Connection): Promise<void> {
    let info: ConnectionInfo;
    try {
      info = await this.#connect(request.refreshCredentials === true);
    } catch {
      connection.fail('credentials');
      return;
    }
    const { loop, cluster } = this.#world;
    const send = () => {
      if (!connection.isOver) cluster.handle(request.path, String(info.headers.authorization), connection);
    };
    loop.later(0, send, this.#thread);
  }
}
