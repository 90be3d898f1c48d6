/** Where the reflectors of a factory run: in worker threads, or on this thread when their source is functions. */
import { type ListerWatcher, LocalWorker } from '../list-watch/index.ts';
import { type ArenaFigures, type BlockRef, readFigures, SEGMENT_INDEX_BITS } from '../store/index.ts';
import type { ProbeRequest, ProbeResult, ReflectorSpec } from '../worker/index.ts';
import { Fleet, type FleetOptions } from './fleet.ts';

/** Number of the worker that is this thread itself: {@link Fleet} counts its own from 1. */
const LOCAL_WORKER = 0;

export class Hosts {
  readonly #options: FleetOptions;
  #fleet: Fleet | undefined;
  #local: LocalWorker | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** The threads, once an informer needed them. */
  get fleet(): Fleet | undefined {
    return this.#fleet;
  }

  /** How the arenas are doing. */
  get arenas(): ArenaFigures[] {
    const arenas = this.#fleet?.arenas ?? [];
    return this.#local === undefined ? arenas : [...arenas, readFigures(this.#local.arenaFigures)];
  }

  /** Shared memory of the rings in use. */
  get ringBytes(): number {
    return (this.#fleet?.ringBytes ?? 0) + (this.#local?.ringBytes ?? 0);
  }

  /** @param listerWatcher - where the objects come from, when that is no API server */
  startReflector(spec: ReflectorSpec, listerWatcher: ListerWatcher | undefined): void {
    if (listerWatcher !== undefined) {
      this.#local ??= this.#launchLocal();
      this.#local.startReflector(spec, listerWatcher);
      return;
    }
    this.#fleet ??= new Fleet(this.#options);
    this.#fleet.startReflector(spec);
  }

  /** Resolves when it has stopped; records of it may still lie on a ring. */
  async stopReflector(source: number): Promise<void> {
    this.#local?.stopReflector(source);
    await this.#fleet?.stopReflector(source);
  }

  /** See {@link Fleet.probe}. Only for reflectors that run in a worker. */
  probe(beside: number, spec: ReflectorSpec, request: ProbeRequest): Promise<ProbeResult> {
    return this.#fleet!.probe(beside, spec, request);
  }

  stopProbe(beside: number, source: number): void {
    this.#fleet?.stopProbe(beside, source);
  }

  /** Gives a block back to the worker whose arena it lies in. */
  release(ref: BlockRef): void {
    const isLocal = ref.segment >>> SEGMENT_INDEX_BITS === LOCAL_WORKER;
    if (isLocal) this.#local?.release(ref.segment, ref.offset8);
    else this.#fleet?.release(ref);
  }

  /** Makes releases visible to the workers. */
  flush(): void {
    this.#local?.flush();
    this.#fleet?.flush();
  }

  async close(): Promise<void> {
    this.#local?.close();
    await this.#fleet?.close();
  }

  #launchLocal(): LocalWorker {
    const { pump } = this.#options;
    const local = new LocalWorker({
      ...this.#options,
      worker: LOCAL_WORKER,
      onWake: () => pump.wake(),
    });
    pump.addLink(local);
    // The first record has to find the pump asleep, so that it wakes it.
    pump.wake();
    return local;
  }
}
