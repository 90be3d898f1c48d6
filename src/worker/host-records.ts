/**
 * What all reflectors of a worker share to make bodies records: one transcoder with one dictionary, made when the first
 * of them needs it, and the count of records that keep each epoch of the dictionary alive.
 */
import type { HashSeed } from '../layout/key-hash.ts';
import { DictionaryTable, epochOf, Transcoder } from '../records/index.ts';
import type { ResourceRef } from '../reflector/index.ts';
import type { WasmModule } from '../scan/index.ts';
import { bodyFormat, bodyStart, type Segment } from '../store/index.ts';
import { RecordBody } from './record-body.ts';
import { RecordRewriter } from './record-rewriter.ts';

export interface HostRecordsOptions {
  /** Number of the worker; part of its epochs' numbers. */
  readonly worker: number;
  readonly seed: HashSeed;
  /** The compiled transcoder, when it came along. */
  readonly module: WasmModule | undefined;
  /** A new epoch, told before the first record of it is published. */
  readonly onEpoch: (memory: SharedArrayBuffer) => void;
  /** No record of an epoch is left. */
  readonly onEpochFree: (epoch: number) => void;
  /** Fewest records of an epoch. For tests. @default that of the transcoder */
  readonly recordsPerEpoch?: number;
}

export class HostRecords {
  readonly #options: HostRecordsOptions;
  readonly #dictionaries = new DictionaryTable();
  /** By reflector. */
  readonly #bodies = new Map<number, RecordBody>();
  /** For records of reflectors that have ended: it takes all for Secrets. */
  #cautiousBody: RecordBody | undefined;
  #transcoder: Transcoder | undefined;
  #rewriter: RecordRewriter | undefined;

  constructor(options: HostRecordsOptions) {
    this.#options = options;
  }

  /** What makes the bodies of one reflector records. */
  open(source: number, resource: ResourceRef, onFallback: () => void): RecordBody {
    this.#transcoder ??= this.#newTranscoder();
    const internValues = !holdsSecrets(resource);
    const body = new RecordBody({ transcoder: this.#transcoder, internValues, onFallback });
    this.#bodies.set(source, body);
    return body;
  }

  /** The reflector has ended. Its records stay. */
  close(source: number): void {
    this.#bodies.delete(source);
  }

  /** A block is about to be freed: what its record says is still there. */
  freed(segment: Segment, block: number): void {
    if (this.#isRecord(segment, block)) {
      this.#transcoder!.epochs.release(epochOf(segment.bytes, bodyStart(segment, block)));
    }
  }

  /** A block was copied as it is, and what it was copied from will be freed. */
  copied(segment: Segment, block: number): void {
    if (this.#isRecord(segment, block)) {
      this.#transcoder!.epochs.hold(epochOf(segment.bytes, bodyStart(segment, block)));
    }
  }

  /** Whether there are blocks that {@link rewrite} would make anew, so that their epochs can end. */
  get wantsRewrites(): boolean {
    return this.#transcoder?.epochs.hasSparse ?? false;
  }

  /**
   * Makes the record of a block anew, when its epoch is an old one that few records are left of. To be copied by the
   * `write` of what is returned, before anything else is made a record; the block itself stays as it is.
   *
   * @param source - the reflector that the block is of
   * @returns undefined when the record is good as it is, or can't be made anew
   */
  rewrite(source: number, segment: Segment, block: number): RecordBody | undefined {
    if (!this.#isRecord(segment, block)) return undefined;
    const transcoder = this.#transcoder!;
    if (!transcoder.epochs.isSparse(epochOf(segment.bytes, bodyStart(segment, block)))) return undefined;
    const body = this.#bodies.get(source) ?? this.#cautious(transcoder);
    this.#rewriter ??= new RecordRewriter(this.#dictionaries, this.#options.seed);
    return this.#rewriter.rewrite(body, segment, block) ? body : undefined;
  }

  #cautious(transcoder: Transcoder): RecordBody {
    this.#cautiousBody ??= new RecordBody({ transcoder, internValues: false, onFallback: () => {} });
    return this.#cautiousBody;
  }

  #isRecord(segment: Segment, block: number): boolean {
    return this.#transcoder !== undefined && bodyFormat(segment, block) === 'record';
  }

  #newTranscoder(): Transcoder {
    const { worker, seed, module, onEpoch, onEpochFree, recordsPerEpoch } = this.#options;
    return new Transcoder({
      worker,
      seed,
      ...(module !== undefined && { module }),
      ...(recordsPerEpoch !== undefined && { recordsPerEpoch }),
      onEpoch: (_, memory) => {
        this.#dictionaries.add(memory);
        onEpoch(memory);
      },
      onEpochFree: (epoch) => {
        this.#dictionaries.delete(epoch);
        onEpochFree(epoch);
      },
    });
  }
}

/** Nothing of what is in them may lie in a dictionary, which outlives them. */
function holdsSecrets({ group, resource }: ResourceRef): boolean {
  return group === '' && resource === 'secrets';
}
