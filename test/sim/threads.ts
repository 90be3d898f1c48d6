/** Worker threads of a simulation: real hosts, each with its virtual thread, that share this one. */
import type { Threads } from '../../src/informer/fleet.ts';
import { scannerModule } from '../../src/scan/index.ts';
import { startHost } from '../../src/worker/host.ts';
import type { HostPoolOptions, WorkerLink } from '../../src/worker/index.ts';
import type { Accounts } from './accounts.ts';
import { asVirtualPort, openVirtualPorts } from './ports.ts';
import { VirtualTransport } from './transport.ts';
import { VirtualThread } from './virtual-loop.ts';
import type { World } from './world.ts';

const wasm = scannerModule();

export class VirtualThreads implements Threads {
  readonly ports: Threads['ports'];
  /** Those that run. */
  readonly running = new Map<WorkerLink, VirtualThread>();

  readonly #world: World;
  readonly #accounts: Accounts;
  readonly #transports = new Map<VirtualThread, VirtualTransport[]>();
  #options: HostPoolOptions | undefined;

  constructor(world: World, accounts: Accounts) {
    this.#world = world;
    this.#accounts = accounts;
    const { loop, home, network } = world;
    this.ports = {
      open: () => openVirtualPorts(loop, home, () => network.fraction() * 2),
      receive: (port) => asVirtualPort(port).receive(),
    };
  }

  makePool(options: HostPoolOptions) {
    this.#options = options;
    return {
      run: (link: WorkerLink) => this.#run(link, options),
      kill: async () => {},
      close: async () => {
        for (const link of this.running.keys()) link.end();
      },
    };
  }

  /** A thread ends as a crash would end it. */
  kill(index: number): void {
    const found = [...this.running][index % Math.max(1, this.running.size)];
    if (found === undefined) return;
    const [link, thread] = found;
    this.running.delete(link);
    thread.isDead = true;
    for (const transport of this.#transports.get(thread) ?? []) void transport.close();
    this.#accounts.lost(link.worker);
    const { loop, home } = this.#world;
    loop.later(1, () => this.#options!.onLost(link, new Error('killed by the simulation')), home);
  }

  #run(link: WorkerLink, { seed, arenaLimitBytes, tcpKeepAliveMs }: HostPoolOptions): void {
    const thread = new VirtualThread(`worker ${link.worker}`);
    const transports: VirtualTransport[] = [];
    this.running.set(link, thread);
    this.#transports.set(thread, transports);
    this.#accounts.watch(link);
    const task = { ...link.taskPart(), wasm, seed, arenaLimitBytes, tcpKeepAliveMs };
    asVirtualPort(task.port).thread = thread;
    void link.ended.then(() => this.running.delete(link));
    const start = () =>
      startHost(task, {
        makeArena: (options) => this.#accounts.makeArena(options),
        openTransport: (connect) => {
          const transport = new VirtualTransport(this.#world, thread, connect);
          transports.push(transport);
          return transport;
        },
      });
    this.#world.loop.later(5, start, thread);
  }
}
