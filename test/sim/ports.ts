/** Message ports between threads of a simulation: messages come later, in order, as copies. */
import type { MessagePort } from 'node:worker_threads';
import type { VirtualLoop, VirtualThread } from './virtual-loop.ts';

type Listener = (message: unknown) => void;

export class VirtualPort {
  /** Who listens. A message is handled on this thread. */
  thread: VirtualThread;
  peer!: VirtualPort;

  readonly #loop: VirtualLoop;
  readonly #latencyMs: () => number;
  readonly #messages: unknown[] = [];
  #listener: Listener | undefined;
  #isClosed = false;

  constructor(loop: VirtualLoop, thread: VirtualThread, latencyMs: () => number) {
    this.#loop = loop;
    this.thread = thread;
    this.#latencyMs = latencyMs;
  }

  on(name: string, listener: Listener): this {
    if (name !== 'message') throw new Error(`a virtual port has no event ${name}`);
    this.#listener = listener;
    for (const _ of this.#messages) this.#announce();
    return this;
  }

  postMessage(message: unknown): void {
    if (this.#isClosed) return;
    this.peer.#arrive(structuredClone(message));
  }

  /** The oldest message that nobody handled yet. */
  receive(): { readonly message: unknown } | undefined {
    return this.#messages.length === 0 ? undefined : { message: this.#messages.shift() };
  }

  close(): void {
    this.#isClosed = true;
    this.#messages.length = 0;
  }

  ref(): void {}

  unref(): void {}

  #arrive(message: unknown): void {
    if (this.#isClosed) return;
    this.#messages.push(message);
    if (this.#listener !== undefined) this.#announce();
  }

  #announce(): void {
    const handle = () => {
      // Somebody may have received it meanwhile.
      const next = this.receive();
      if (next !== undefined) this.#listener!(next.message);
    };
    this.#loop.later(this.#latencyMs(), handle, this.thread);
  }
}

/** Opens the two ends of a channel. That for the other thread gets its thread later. */
export function openVirtualPorts(loop: VirtualLoop, home: VirtualThread, latencyMs: () => number) {
  const own = new VirtualPort(loop, home, latencyMs);
  const other = new VirtualPort(loop, home, latencyMs);
  own.peer = other;
  other.peer = own;
  return { port1: asMessagePort(own), port2: asMessagePort(other) };
}

function asMessagePort(port: VirtualPort): MessagePort {
  return port as unknown as MessagePort;
}

export function asVirtualPort(port: MessagePort): VirtualPort {
  return port as unknown as VirtualPort;
}
