/** A SOCKS proxy on loopback: version 5 (RFC 1928, RFC 1929) and 4a, as far as a client of HTTP needs them. */
import net, { type AddressInfo, type Socket } from 'node:net';

export interface SocksOptions {
  /** `user:password` that clients have to show; version 5 only. */
  readonly account?: string;
  /** Answers with this code instead of connecting. */
  readonly refuseWith?: number;
}

export class SocksServer {
  /** What clients wanted: `5 name example.com:443`. */
  readonly asked: string[] = [];
  readonly #options: SocksOptions;
  readonly #server = net.createServer((client) => void this.#serve(client));
  readonly #sockets = new Set<Socket>();
  /** All names lead here. */
  #targetPort = 0;

  private constructor(options: SocksOptions) {
    this.#options = options;
  }

  static async start(targetPort: number, options: SocksOptions = {}): Promise<SocksServer> {
    const proxy = new SocksServer(options);
    proxy.#targetPort = targetPort;
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(client: Socket): Promise<void> {
    this.#sockets.add(client);
    client.on('error', () => client.destroy());
    try {
      const [version] = await take(client, 1);
      await (version === 5 ? this.#serveVersion5(client) : this.#serveVersion4(client));
    } catch {
      client.destroy();
    }
  }

  async #serveVersion5(client: Socket): Promise<void> {
    const [methods] = await take(client, 1);
    await take(client, methods!);
    const { account } = this.#options;
    client.write(Buffer.from([5, account === undefined ? 0 : 2]));
    if (account !== undefined && !(await this.#checkAccount(client, account))) return;
    const [, , , type] = await take(client, 4);
    const [length] = type === 3 ? await take(client, 1) : [4];
    const address = await take(client, length!);
    const port = (await take(client, 2)).readUInt16BE();
    this.asked.push(`5 ${type === 3 ? `name ${address}` : `address ${address.join('.')}`}:${port}`);
    const code = this.#options.refuseWith ?? 0;
    client.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (code === 0) this.#join(client);
  }

  async #checkAccount(client: Socket, account: string): Promise<boolean> {
    const [, userLength] = await take(client, 2);
    const user = await take(client, userLength!);
    const [passwordLength] = await take(client, 1);
    const password = await take(client, passwordLength!);
    const isRight = `${user}:${password}` === account;
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    return isRight;
  }

  async #serveVersion4(client: Socket): Promise<void> {
    const head = await take(client, 7);
    await takeText(client);
    const isName = head[3] === 0 && head[4] === 0;
    const address = isName ? `name ${await takeText(client)}` : `address ${head.subarray(3).join('.')}`;
    this.asked.push(`4 ${address}:${head.readUInt16BE(1)}`);
    client.write(Buffer.from([0, 0x5a, 0, 0, 0, 0, 0, 0]));
    this.#join(client);
  }

  #join(client: Socket): void {
    const target = net.connect(this.#targetPort, '127.0.0.1');
    this.#sockets.add(target);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on('error', () => one.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  }
}

async function take(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const taken = socket.read(bytes) as Buffer | null;
    if (taken !== null && taken.length === bytes) return taken;
    await new Promise<void>((resolve, reject) => {
      socket.once('readable', resolve);
      socket.once('close', () => reject(new Error('closed')));
    });
  }
}

/** Up to a zero byte. */
async function takeText(socket: Socket): Promise<string> {
  let text = '';
  for (let [byte] = await take(socket, 1); byte !== 0; [byte] = await take(socket, 1)) {
    text += String.fromCharCode(byte!);
  }
  return text;
}
