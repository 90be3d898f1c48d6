/**
 * A client that only counts bytes and line ends: what it gets is what the server can give at most. Its process is
 * given the URL of a collection; it lists, says so, watches, and says how fast the events came.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** In this order, each a line on standard output. */
export interface BareReaderSays {
  readonly listMBps?: number;
  /** Sent when the watch is asked for. */
  readonly watching?: true;
  readonly eventsPerSecond?: number;
}

interface BareReaderTask {
  readonly url: string;
  readonly path: string;
  readonly resourceVersion: string;
  readonly events: number;
}

const BUFFER_BYTES = 256 * 1024;
const LINE_END = 0x0a;
const CLOSING_BRACE = 0x7d;

const task = JSON.parse(process.argv[2]!) as BareReaderTask;
const url = new URL(task.url);
await list();
await watch();

async function list(): Promise<void> {
  let bytes = 0;
  let beginMs = 0;
  let endMs = 0;
  // The server closes the connection behind the list, which shows its end without looking at the bytes.
  await read(task.path, 'connection: close\r\n', (chunk) => {
    endMs = performance.now();
    if (bytes === 0) beginMs = endMs;
    bytes += chunk.length;
    return false;
  });
  say({ listMBps: bytes / 1e3 / (endMs - beginMs) });
}

async function watch(): Promise<void> {
  let lines = 0;
  let beginMs = 0;
  let before = 0;
  const query = `watch=true&resourceVersion=${task.resourceVersion}`;
  const done = read(`${task.path}?${query}`, '', (chunk) => {
    // Lines of HTTP end with CRLF; those of events with the brace that closes the event.
    for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) {
      if ((at > 0 ? chunk[at - 1] : before) === CLOSING_BRACE) lines++;
    }
    before = chunk.at(-1)!;
    if (lines > 0 && beginMs === 0) beginMs = performance.now();
    return lines >= task.events;
  });
  say({ watching: true });
  await done;
  say({ eventsPerSecond: (task.events - 1) / ((performance.now() - beginMs) / 1000) });
}

/** Requests a path, and reads until `take` has had enough or the server closes. */
function read(path: string, header: string, take: (chunk: Buffer) => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  const options = {
    host: url.hostname,
    port: Number(url.port),
    onread: {
      buffer,
      callback(count: number): boolean {
        if (take(buffer.subarray(0, count))) socket.destroy();
        return true;
      },
    },
  };
  const socket: Socket =
    url.protocol === 'https:' ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
  socket.on('error', reject).on('close', () => resolve());
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${header}\r\n`);
  return promise;
}

function say(words: BareReaderSays): void {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}
