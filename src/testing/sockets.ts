import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, as TCP sees them: below TLS, so that they can be reset. */
export class Sockets {
  readonly #open = new Set<Socket>();
  readonly #byPeerPort = new Map<number, Socket>();
  #accepted = 0;

  /** Connections accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  get size(): number {
    return this.#open.size;
  }

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      this.#open.add(socket);
      const port = socket.remotePort ?? 0;
      this.#byPeerPort.set(port, socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        if (this.#byPeerPort.get(port) === socket) this.#byPeerPort.delete(port);
      });
    });
  }

  /** @param socket - of an answer; with TLS it is not the one that TCP knows */
  breakOff(socket: Socket | null, how: 'cut' | 'reset' | 'silence'): void {
    if (socket === null || how === 'silence') return;
    const raw = this.#byPeerPort.get(socket.remotePort ?? 0) ?? socket;
    breakSocket(raw, how);
  }

  /** @returns how many there were */
  breakAll(how: 'cut' | 'reset'): number {
    const sockets = [...this.#open];
    for (const socket of sockets) breakSocket(socket, how);
    return sockets.length;
  }
}

function breakSocket(socket: Socket, how: 'cut' | 'reset'): void {
  if (how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
