/**
 * A queue of fixed-size records in shared memory, for one producer thread and one consumer thread.
 * Layout and memory order: `src/layout/ring.ts`.
 */
import {
  ASLEEP_WORD,
  HEAD_WORD,
  MAX_RECORDS,
  MIN_RECORDS,
  NEWS_WORD,
  RECORDS_BYTE,
  ringBytes,
  TAIL_WORD,
  WAITING_WORD,
} from '../layout/ring.ts';

/** The views of a ring that one thread holds. The memory is shared, this object is not. */
export interface Ring {
  readonly control: Int32Array;
  /** All records; fields are at the index that `claim` or `next` gave, plus the field's constant. */
  readonly words: Int32Array;
  readonly recordWords: number;
  readonly mask: number;
}

/**
 * Makes the memory of a ring.
 *
 * @param records - capacity in records, a power of two from {@link MIN_RECORDS} to {@link MAX_RECORDS}
 * @param recordWords - size of a record in 32-bit words
 * @throws RangeError when `records` is anything else
 */
export function createRing(records: number, recordWords: number): SharedArrayBuffer {
  const isPowerOfTwo = (records & (records - 1)) === 0;
  if (!isPowerOfTwo || records < MIN_RECORDS || records > MAX_RECORDS) {
    throw new RangeError(
      `a ring holds a power of two from ${MIN_RECORDS} to ${MAX_RECORDS} records, not ${records}`,
    );
  }
  return new SharedArrayBuffer(ringBytes(records, recordWords));
}

export function openRing(memory: SharedArrayBuffer, recordWords: number): Ring {
  const words = new Int32Array(memory, RECORDS_BYTE);
  const control = new Int32Array(memory, 0, RECORDS_BYTE / 4);
  return { control, words, recordWords, mask: words.length / recordWords - 1 };
}

/** The only thread that may call these is the one that fills the ring. */
export class Producer {
  readonly words: Int32Array;
  readonly #control: Int32Array;
  readonly #mask: number;
  readonly #recordWords: number;
  #tail: number;
  /** The tail that the consumer can see. */
  #published: number;
  /** The consumer's head when last looked at: it only moves on, so an old value is safe. */
  #headSeen: number;

  constructor(ring: Ring) {
    this.words = ring.words;
    this.#control = ring.control;
    this.#mask = ring.mask;
    this.#recordWords = ring.recordWords;
    this.#tail = Atomics.load(ring.control, TAIL_WORD);
    this.#published = this.#tail;
    this.#headSeen = Atomics.load(ring.control, HEAD_WORD);
  }

  get capacity(): number {
    return this.#mask + 1;
  }

  /** Called for each record that was given back, with its index in `words`, where it can still be read. */
  onGivenBack: ((word: number) => void) | undefined;

  /** Records that are free, as far as was looked. */
  get free(): number {
    return this.#mask + 1 - ((this.#tail - this.#headSeen) | 0);
  }

  /** Looks how many records the consumer has given back. */
  refresh(): void {
    const head = Atomics.load(this.#control, HEAD_WORD);
    if (this.onGivenBack !== undefined) {
      for (let at = this.#headSeen; at !== head; at = (at + 1) | 0) {
        this.onGivenBack((at & this.#mask) * this.#recordWords);
      }
    }
    this.#headSeen = head;
  }

  /** Whether `count` more records fit right now. */
  hasSpace(count: number): boolean {
    if (this.free >= count) return true;
    this.refresh();
    return this.free >= count;
  }

  /** Index in `words` of a free record, or -1 when the ring is full: then stop reading the socket. */
  claim(): number {
    if (!this.hasSpace(1)) return -1;
    const word = (this.#tail & this.#mask) * this.#recordWords;
    this.#tail = (this.#tail + 1) | 0;
    return word;
  }

  /**
   * Hands over all claimed records. True when the consumer sleeps and has to be woken; without a new record it has not,
   * because it looks for those that there are before it falls asleep.
   */
  publish(): boolean {
    if (this.#tail === this.#published) return false;
    this.#published = this.#tail;
    Atomics.store(this.#control, TAIL_WORD, this.#tail);
    return Atomics.exchange(this.#control, ASLEEP_WORD, 0) === 1;
  }

  /** Something was announced elsewhere that the records from now on need. */
  announce(): void {
    Atomics.add(this.#control, NEWS_WORD, 1);
  }

  /**
   * Asks to be told when records were given back. False when there is space already: then go on instead
   * of waiting, because the consumer may have looked at the flag before it was set.
   *
   * @param hasRoom - looks whether there is; by default whether one record fits
   */
  waitForSpace(hasRoom: () => boolean = () => this.hasSpace(1)): boolean {
    Atomics.store(this.#control, WAITING_WORD, 1);
    if (!hasRoom()) return true;
    Atomics.store(this.#control, WAITING_WORD, 0);
    return false;
  }
}

/** The only thread that may call these is the one that drains the ring. */
export class Consumer {
  readonly words: Int32Array;
  readonly #control: Int32Array;
  readonly #mask: number;
  readonly #recordWords: number;
  #head: number;
  /** The producer's tail when last looked at. */
  #tailSeen: number;

  constructor(ring: Ring) {
    this.words = ring.words;
    this.#control = ring.control;
    this.#mask = ring.mask;
    this.#recordWords = ring.recordWords;
    this.#head = Atomics.load(ring.control, HEAD_WORD);
    this.#tailSeen = this.#head;
  }

  get capacity(): number {
    return this.#mask + 1;
  }

  /** How many records wait. */
  get available(): number {
    this.#tailSeen = Atomics.load(this.#control, TAIL_WORD);
    return (this.#tailSeen - this.#head) | 0;
  }

  /**
   * Index in `words` of the next record, or -1 when there is none. It counts as read from now on, also
   * when its reader throws: it would throw again, and block all behind it.
   */
  next(): number {
    if (this.#head === this.#tailSeen && this.available === 0) return -1;
    const word = (this.#head & this.#mask) * this.#recordWords;
    this.#head = (this.#head + 1) | 0;
    return word;
  }

  /** How often the producer has announced something: all that the records so far need is counted. */
  get news(): number {
    return Atomics.load(this.#control, NEWS_WORD);
  }

  /** Gives all records back that were read. True when the producer waits and has to be told. */
  release(): boolean {
    Atomics.store(this.#control, HEAD_WORD, this.#head);
    if (Atomics.load(this.#control, WAITING_WORD) === 0) return false;
    // A producer that is told of each single record would wake up for each: half a ring is worth it.
    if (this.available > this.capacity >> 1) return false;
    return Atomics.exchange(this.#control, WAITING_WORD, 0) === 1;
  }

  /** Announces sleep. False when records came meanwhile: then drain instead of sleeping. */
  fallAsleep(): boolean {
    Atomics.store(this.#control, ASLEEP_WORD, 1);
    // The producer may have published between the last drain and the flag: look once more.
    if (this.available === 0) return true;
    Atomics.store(this.#control, ASLEEP_WORD, 0);
    return false;
  }
}
