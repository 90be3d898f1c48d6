import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { ConnectionFault, RequestFaults } from './faults.ts';
import type { ServerStats } from './stats.ts';
import type { Lease } from './write-buffers.ts';

/** The body of a long answer: knows when the client can't take more, and how to break off on purpose. */
export class BodyStream {
  readonly #response: ServerResponse;
  readonly #sink: Writable;
  readonly #stats: ServerStats;
  readonly #byteFault: ConnectionFault | undefined;
  readonly #breakOff: (response: ServerResponse, how: ConnectionFault['fault']) => void;
  #bytes = 0;
  #blocked = false;
  #closed = false;
  #silent = false;

  constructor(
    response: ServerResponse,
    stats: ServerStats,
    faults: RequestFaults | undefined,
    breakOff: (response: ServerResponse, how: ConnectionFault['fault']) => void,
    gzip: 'no' | 'whole' | 'flushed',
  ) {
    this.#response = response;
    this.#stats = stats;
    this.#byteFault = faults?.byBytes();
    this.#breakOff = breakOff;
    this.#sink = gzip === 'no' ? response : compress(response, gzip === 'flushed');
    this.#sink.on('drain', () => {
      this.#blocked = false;
    });
    response.on('close', () => {
      this.#closed = true;
    });
  }

  /** The client went away, or the answer was ended or broken off. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The client can't take more at the moment: wait for {@link onDrain}. Never blocked when silent. */
  get blocked(): boolean {
    return this.#blocked;
  }

  onDrain(listener: () => void): void {
    this.#sink.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#response.on('close', listener);
  }

  /** Resolves when the client can take more, or is gone. */
  async drained(): Promise<void> {
    if (!this.#blocked || this.#closed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#sink.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      this.#sink.on('drain', done);
      this.#response.on('close', done);
    });
  }

  /** @param lease - of the memory that the chunk lies in: released when it is not needed any more */
  write(chunk: Buffer, lease?: Lease): void {
    if (this.#closed || this.#silent || chunk.length === 0) {
      lease?.release();
      return;
    }
    const limit = this.#byteFault?.afterBytes ?? Number.POSITIVE_INFINITY;
    if (this.#bytes + chunk.length > limit) {
      this.#send(Buffer.from(chunk.subarray(0, limit - this.#bytes)), undefined);
      lease?.release();
      this.fail(this.#byteFault!.fault);
      return;
    }
    this.#send(chunk, lease);
  }

  end(): void {
    if (this.#closed || this.#silent) return;
    this.#closed = true;
    this.#sink.end();
  }

  /** Breaks off on purpose, behind what was written. */
  fail(how: ConnectionFault['fault']): void {
    if (this.#closed || this.#silent) return;
    this.#silent = true;
    this.#blocked = false;
    if (how === 'silence') return;
    this.#closed = true;
    // The callback comes when the bytes are with the kernel: what was promised before the break arrives.
    this.#sink.write(NOTHING, () => this.#breakOff(this.#response, how));
  }

  #send(chunk: Buffer, lease: Lease | undefined): void {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    this.#stats.bytesSent += chunk.length;
    const done = lease === undefined ? undefined : () => lease.release();
    if (!this.#sink.write(chunk, done)) this.#blocked = true;
  }
}

const NOTHING = Buffer.alloc(0);

function compress(response: ServerResponse, flushEachWrite: boolean): Writable {
  const flush = flushEachWrite ? constants.Z_SYNC_FLUSH : constants.Z_NO_FLUSH;
  // Level 1, as the real server: it compresses to save bandwidth between machines, not to be small.
  const gzip = createGzip({ level: 1, flush });
  gzip.pipe(response);
  response.on('close', () => gzip.destroy());
  return gzip;
}
