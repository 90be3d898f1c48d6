import type { HashSeed } from '../layout/key-hash.ts';
import { ScanEngine } from '../scan/index.ts';
import { ObjectDraft } from '../worker/index.ts';

/** The scanner of the home thread, made when the first bytes come: sources of objects never need it. */
export class ByteScanner {
  readonly #seed: HashSeed;
  #engine: ScanEngine | undefined;
  #draft: ObjectDraft | undefined;

  constructor(seed: HashSeed) {
    this.#seed = seed;
  }

  get engine(): ScanEngine {
    this.#engine ??= ScanEngine.create({ seed: this.#seed });
    return this.#engine;
  }

  get draft(): ObjectDraft {
    this.#draft ??= new ObjectDraft(this.engine, this.#seed);
    return this.#draft;
  }
}
