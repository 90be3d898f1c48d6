/**
 * Blocks that go back to the arena of the same thread. What the release ring is between threads: they can be taken
 * only after `publish`, because until then the informer may still read them.
 */
import { RELEASE_OFFSET8, RELEASE_SEGMENT, RELEASE_WORDS } from '../layout/ring.ts';
import type { ReleaseSource } from '../worker/index.ts';

export class ReleaseQueue implements ReleaseSource {
  /** Records that can be taken. */
  words: number[] = [];
  #unpublished: number[] = [];
  #next = 0;
  #isAwaited = false;

  push(segment: number, offset8: number): void {
    const word = this.#unpublished.length;
    this.#unpublished[word + RELEASE_SEGMENT] = segment;
    this.#unpublished[word + RELEASE_OFFSET8] = offset8;
  }

  /** True when somebody waits for what is released. */
  publish(): boolean {
    if (this.#unpublished.length > 0) {
      // The records that nobody took yet stay in front.
      this.words = this.words.slice(this.#next);
      for (const word of this.#unpublished) this.words.push(word);
      this.#next = 0;
      this.#unpublished = [];
    }
    const isAwaited = this.#isAwaited && this.words.length > 0;
    if (isAwaited) this.#isAwaited = false;
    return isAwaited;
  }

  next(): number {
    if (this.#next >= this.words.length) return -1;
    const word = this.#next;
    this.#next += RELEASE_WORDS;
    return word;
  }

  release(): void {
    this.words = this.words.slice(this.#next);
    this.#next = 0;
  }

  fallAsleep(): boolean {
    this.#isAwaited = this.#next >= this.words.length;
    return this.#isAwaited;
  }
}
