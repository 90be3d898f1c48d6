/**
 * What a worker and its home thread say to each other on their port. Objects never travel here: they lie
 * in the arena, and the ring says where. Messages are for what is rare.
 */
import type { MessagePort } from 'node:worker_threads';
import type { HashSeed } from '../layout/key-hash.ts';
import type { InitialList, ReflectorNotice, ResourceRef } from '../reflector/index.ts';
import type { ScanSpec, WasmModule } from '../scan/index.ts';
import type { BodyFormat } from '../store/index.ts';
import type { ConnectionInfo } from '../transport/index.ts';
import type { ProbeRequest, ProbeResult } from './probe.ts';
import type { FunctionsSpec } from './user-functions.ts';

/** What the host task of a worker starts with. */
export interface HostTask {
  readonly port: MessagePort;
  /** Number of this worker; part of its segments' numbers. */
  readonly worker: number;
  readonly deltaRing: SharedArrayBuffer;
  readonly releaseRing: SharedArrayBuffer;
  /** For the structures of MessagePack bodies, see `src/layout/structures.ts`. */
  readonly structures: SharedArrayBuffer;
  readonly wasm: WasmModule;
  /** Makes records; compiled by the worker when absent and needed. */
  readonly transcoder?: WasmModule;
  readonly seed: HashSeed;
  /** Where the worker says how its arena is doing, see `src/layout/arena-figures.ts`. */
  readonly arenaFigures: SharedArrayBuffer;
  /** Most bytes of this worker's arena. */
  readonly arenaLimitBytes: number;
  /** Silence on a socket after which TCP probes the other end; the transport's default when absent. */
  readonly tcpKeepAliveMs: number | undefined;
}

/** How one reflector is to run. */
export interface ReflectorSpec {
  /** Number of the reflector in its records. */
  readonly source: number;
  readonly resource: ResourceRef;
  /** Number of the cluster that it watches, when there are several. */
  readonly cluster?: number;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Most objects of one page of a list. */
  readonly pageLimit: number;
  /** Silence on a watch after which it is replaced, in milliseconds; the reflector's default when absent. */
  readonly watchIdleMs?: number;
  /**
   * Most bytes of its objects. Reflectors of one group share the sum of what they have, as far as they are in one worker.
   */
  readonly memoryLimit?: { readonly group: number; readonly bytes: number };
  readonly scan: ScanSpec;
  /** What bodies are stored as. @default 'json' */
  readonly bodies?: BodyFormat;
  /** What is done with each object besides scanning it. @default nothing */
  readonly functions?: FunctionsSpec;
  readonly initialList?: InitialList;
  /** See `ReflectorOptions`: set where the reflector takes the place of one that was lost. */
  readonly startsAtLatest?: boolean;
  readonly metadataOnly?: boolean;
  readonly compression?: 'identity' | 'gzip';
  /** Longest random delay before the first request, in milliseconds. */
  readonly startJitterMs?: number;
  /** Where the reflector says how it is doing, see `src/layout/status.ts`, and the epoch of the times there. */
  readonly status: SharedArrayBuffer;
  readonly epochMs: number;
}

/** From the home thread to the worker. */
export type ToWorker =
  | { readonly type: 'start'; readonly spec: ReflectorSpec }
  | { readonly type: 'stop'; readonly source: number }
  /** Reads beside a reflector: `spec` is that reflector's, but for its number. */
  | {
      readonly type: 'probe';
      readonly beside: number;
      readonly spec: ReflectorSpec;
      readonly request: ProbeRequest;
    }
  /** Records or blocks were given back, and the worker waits for them. */
  | { readonly type: 'space' }
  | { readonly type: 'connection'; readonly id: number; readonly info: ConnectionInfo }
  | {
      readonly type: 'connectionFailed';
      readonly id: number;
      readonly message: string;
      readonly code: string;
    }
  /** Ends the host task: all reflectors stop, sockets are closed. */
  | { readonly type: 'end' };

/** From the worker to the home thread. */
export type ToHome =
  /** The ring has records, and the home thread sleeps. */
  | { readonly type: 'wake' }
  /** A segment that records will name. Sent before the first of them is published. */
  | { readonly type: 'segment'; readonly id: number; readonly memory: SharedArrayBuffer }
  | { readonly type: 'segmentGone'; readonly id: number }
  /** An epoch of the worker's dictionary. Sent, and counted on the ring, before the first record that names it. */
  | { readonly type: 'dictionary'; readonly memory: SharedArrayBuffer }
  /** All records of an epoch were given back. */
  | { readonly type: 'dictionaryGone'; readonly epoch: number }
  | { readonly type: 'connect'; readonly id: number; readonly cluster: number; readonly refresh: boolean }
  | { readonly type: 'notice'; readonly source: number; readonly notice: ReflectorNotice }
  | { readonly type: 'stopped'; readonly source: number }
  | { readonly type: 'probed'; readonly source: number; readonly result: ProbeResult }
  /** What `end` asked for is done: nothing comes after this. */
  | { readonly type: 'ended' };
