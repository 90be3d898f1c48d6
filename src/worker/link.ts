/**
 * The home thread's end of one worker: its rings, its port, its segments. Messages are few; objects come
 * over the ring.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { DELTA_WORDS, RELEASE_OFFSET8, RELEASE_SEGMENT, RELEASE_WORDS } from '../layout/ring.ts';
import { createStructures } from '../msgpack/index.ts';
import type { ReflectorNotice } from '../reflector/index.ts';
import { Consumer, createRing, openRing, Producer } from '../ring/index.ts';
import { createFigures, openSegment, type SegmentTable } from '../store/index.ts';
import type { ConnectionInfo } from '../transport/index.ts';
import type { HostTask, ReflectorSpec, ToHome, ToWorker } from './messages.ts';
import type { ProbeRequest, ProbeResult } from './probe.ts';

/** Released blocks that may wait for the worker; more are kept on the home thread meanwhile. */
const RELEASE_RECORDS = 16_384;

const WORKER_LOST: ProbeResult = {
  type: 'failed',
  code: 'worker-lost',
  message: 'the worker ended before it had read what was asked for',
  status: 0,
};

export interface LinkOptions {
  /** Number of the worker. */
  readonly worker: number;
  /** Capacity of the delta ring, a power of two. */
  readonly ringRecords: number;
  readonly segments: SegmentTable;
  /** The ring has records, and this thread said that it sleeps. */
  readonly onWake: () => void;
  readonly onNotice: (source: number, notice: ReflectorNotice) => void;
  /** Gets URL, headers and TLS options for a new connection to a cluster. */
  readonly connect: (cluster: number, refresh: boolean) => Promise<ConnectionInfo>;
  /** Whether the process, or the thread, may end although the worker runs. */
  readonly unref: boolean;
  readonly ports: Ports;
}

/** How threads talk. Tests have ports within one thread. */
export interface Ports {
  open(): { readonly port1: MessagePort; readonly port2: MessagePort };
  /** A message that came already, as `receiveMessageOnPort`. */
  receive(port: MessagePort): { readonly message: unknown } | undefined;
}

/** Those of Node. */
export const threadPorts: Ports = {
  open: () => new MessageChannel(),
  receive: receiveMessageOnPort,
};

export class WorkerLink {
  readonly worker: number;
  /** Deltas that the worker put on the ring. */
  readonly deltas: Consumer;
  /** Goes to the worker with its task. */
  readonly workerPort: MessagePort;
  readonly deltaRing: SharedArrayBuffer;
  readonly releaseRing: SharedArrayBuffer;
  readonly structures = createStructures();
  readonly arenaFigures = createFigures();
  /** Resolves when the worker did what `end` asked for; never when it is lost before. */
  readonly ended: Promise<void>;

  readonly #options: LinkOptions;
  readonly #port: MessagePort;
  readonly #releases: Producer;
  /** Segment and offset of released blocks that found no place on the ring. */
  #overflow: number[] = [];
  readonly #ended = Promise.withResolvers<void>();
  readonly #stops = new Map<number, () => void>();
  readonly #probes = new Map<number, (result: ProbeResult) => void>();
  /** Dictionaries that were announced, as far as was looked. */
  #news = 0;
  #isLost = false;
  /** Blocks that this thread got and did not give back. */
  #outstanding = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.worker = options.worker;
    this.ended = this.#ended.promise;
    this.deltaRing = createRing(options.ringRecords, DELTA_WORDS);
    this.releaseRing = createRing(RELEASE_RECORDS, RELEASE_WORDS);
    this.deltas = new Consumer(openRing(this.deltaRing, DELTA_WORDS));
    this.#releases = new Producer(openRing(this.releaseRing, RELEASE_WORDS));
    options.segments.addStructures(options.worker, this.structures);
    const { port1, port2 } = options.ports.open();
    this.#port = port1;
    this.workerPort = port2;
    this.#port.on('message', (message: ToHome) => this.#receive(message));
    // Of all that belongs to a worker, this port alone keeps the process alive.
    if (options.unref) this.#port.unref();
  }

  /** Shared memory of the rings. */
  get ringBytes(): number {
    return this.deltaRing.byteLength + this.releaseRing.byteLength;
  }

  /** What the worker's task needs besides what all workers share. */
  taskPart(): Pick<
    HostTask,
    'port' | 'worker' | 'deltaRing' | 'releaseRing' | 'structures' | 'arenaFigures'
  > {
    const { workerPort: port, worker, deltaRing, releaseRing, structures, arenaFigures } = this;
    return { port, worker, deltaRing, releaseRing, structures, arenaFigures };
  }

  startReflector(spec: ReflectorSpec): void {
    this.#send({ type: 'start', spec });
  }

  /** Resolves when the reflector has stopped; records of it may still lie on the ring. */
  stopReflector(source: number): Promise<void> {
    return new Promise((resolve) => {
      this.#stops.set(source, resolve);
      this.#send({ type: 'stop', source });
    });
  }

  /**
   * Reads beside a reflector.
   *
   * @param beside - number of the reflector
   * @param spec - that reflector's, with a number of its own: its records have it
   */
  probe(beside: number, spec: ReflectorSpec, request: ProbeRequest): Promise<ProbeResult> {
    if (this.#isLost) return Promise.resolve(WORKER_LOST);
    return new Promise((resolve) => {
      this.#probes.set(spec.source, resolve);
      this.#send({ type: 'probe', beside, spec, request });
    });
  }

  /** Its promise stays pending. Harmless when the probe has ended. */
  stopProbe(source: number): void {
    if (this.#probes.delete(source)) this.#send({ type: 'stop', source });
  }

  /** Ends the worker's host task. */
  end(): void {
    this.#send({ type: 'end' });
  }

  close(): void {
    this.#port.close();
    for (const resolve of this.#stops.values()) resolve();
    this.#stops.clear();
    for (const resolve of this.#probes.values()) resolve(WORKER_LOST);
    this.#probes.clear();
  }

  /**
   * The worker is gone. What lies on its ring is good and will be read; its memory goes when the last block
   * of it was given back.
   */
  lost(): void {
    // Its last records may need what it announced before them.
    this.receiveNow();
    this.#news = this.deltas.news;
    this.#isLost = true;
    this.close();
    this.#dropIfUnused();
  }

  /** A record was taken from the ring, and with it a block. */
  taken(): void {
    this.#outstanding++;
    const { news } = this.deltas;
    if (news === this.#news) return;
    this.#news = news;
    this.receiveNow();
  }

  /** Gives a block back to the worker, with the next `flush`. */
  release(segment: number, offset8: number): void {
    this.#outstanding--;
    if (this.#isLost) {
      this.#dropIfUnused();
      return;
    }
    const word = this.#overflow.length === 0 ? this.#releases.claim() : -1;
    if (word === -1) {
      this.#overflow.push(segment, offset8);
      return;
    }
    this.#releases.words[word + RELEASE_SEGMENT] = segment;
    this.#releases.words[word + RELEASE_OFFSET8] = offset8;
  }

  /** Makes what was read and released visible to the worker, and tells it when it waits for that. */
  flush(): void {
    if (this.#isLost) return;
    this.#drainOverflow();
    const hasSpace = this.deltas.release();
    const hasReleases = this.#releases.publish();
    if (hasSpace || hasReleases) this.#send({ type: 'space' });
  }

  /** Nothing will come from it any more. */
  get isDrained(): boolean {
    return this.#isLost && this.deltas.available === 0;
  }

  /** Takes messages that are there already: a record names a segment that was announced but not seen. */
  receiveNow(): void {
    const { receive } = this.#options.ports;
    for (let got = receive(this.#port); got !== undefined; got = receive(this.#port)) {
      this.#receive(got.message as ToHome);
    }
  }

  #dropIfUnused(): void {
    if (this.#outstanding === 0 && this.deltas.available === 0)
      this.#options.segments.deleteWorker(this.worker);
  }

  #drainOverflow(): void {
    let taken = 0;
    while (taken < this.#overflow.length) {
      const word = this.#releases.claim();
      if (word === -1) break;
      this.#releases.words[word + RELEASE_SEGMENT] = this.#overflow[taken]!;
      this.#releases.words[word + RELEASE_OFFSET8] = this.#overflow[taken + 1]!;
      taken += 2;
    }
    if (taken > 0) this.#overflow = this.#overflow.slice(taken);
  }

  #receive(message: ToHome): void {
    switch (message.type) {
      case 'wake':
        this.#options.onWake();
        break;
      case 'segment':
        this.#options.segments.add(openSegment(message.id, message.memory));
        break;
      case 'segmentGone':
        this.#options.segments.delete(message.id);
        break;
      case 'dictionary':
        this.#options.segments.addDictionary(message.memory);
        break;
      case 'dictionaryGone':
        this.#options.segments.deleteDictionary(message.epoch);
        break;
      case 'connect':
        void this.#connect(message.id, message.cluster, message.refresh);
        break;
      case 'notice':
        this.#options.onNotice(message.source, message.notice);
        break;
      case 'stopped':
        this.#stops.get(message.source)?.();
        this.#stops.delete(message.source);
        break;
      case 'probed':
        this.#probes.get(message.source)?.(message.result);
        this.#probes.delete(message.source);
        break;
      case 'ended':
        this.#ended.resolve();
        break;
    }
  }

  async #connect(id: number, cluster: number, refresh: boolean): Promise<void> {
    try {
      this.#send({ type: 'connection', id, info: await this.#options.connect(cluster, refresh) });
    } catch (error) {
      const { message, code = 'credentials' } = error as Error & { code?: string };
      this.#send({ type: 'connectionFailed', id, message, code });
    }
  }

  #send(message: ToWorker): void {
    this.#port.postMessage(message);
  }
}
