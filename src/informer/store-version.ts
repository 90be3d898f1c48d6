/**
 * Moves the store's resourceVersion: to a version when everything up to it is in the store and was told. The version
 * lies in the block of the newest change, and is made a string once for many of them.
 */
import { type BlockRef, blockResourceVersion, fromOffset8, type SegmentTable } from '../store/index.ts';

export class StoreVersion {
  readonly #segments: SegmentTable;
  readonly #onVersion: (resourceVersion: string) => void;
  /** The newest change that is stored. */
  #stored: BlockRef | undefined;
  /** Its version, when that had to be read before the change was told; else ''. */
  #storedVersion = '';
  /** The newest change that was told, with all before it. */
  #told: BlockRef | undefined;

  constructor(segments: SegmentTable, onVersion: (resourceVersion: string) => void) {
    this.#segments = segments;
    this.#onVersion = onVersion;
  }

  stored(block: BlockRef): void {
    this.#stored = block;
  }

  /** All that is stored was told. */
  allTold(): void {
    if (this.#stored !== undefined) {
      this.#told = this.#stored;
      this.#stored = undefined;
    } else if (this.#storedVersion !== '') {
      this.#onVersion(this.#storedVersion);
    }
    this.#storedVersion = '';
  }

  /** Called before blocks go back to their worker: until then versions can be read. */
  settle(): void {
    if (this.#told !== undefined) {
      this.#onVersion(this.#versionOf(this.#told));
      this.#told = undefined;
    }
    if (this.#stored !== undefined) {
      this.#storedVersion = this.#versionOf(this.#stored);
      this.#stored = undefined;
    }
  }

  forget(): void {
    this.#stored = undefined;
    this.#told = undefined;
  }

  #versionOf(block: BlockRef): string {
    return blockResourceVersion(this.#segments.get(block.segment), fromOffset8(block.offset8));
  }
}
