/** Decides by seed what happens next to the objects of one resource, and does it. */
import type { Random } from '../../src/testing/random.ts';
import type { EventType } from './frames.ts';
import type { KeptObjects } from './kept-objects.ts';

export type ChurnMix = 'updates' | 'mixed';

/** Of ten changes in a mix, so many create and so many delete an object; the others update one. */
const CREATES_OF_TEN = 2;
const DELETES_OF_TEN = 2;
const UPDATE = CREATES_OF_TEN + DELETES_OF_TEN;

/** One change; `place` is where the object stands among those that are there. */
export interface Edit {
  readonly type: EventType;
  readonly object: number;
  readonly place: number;
}

export class Edits {
  readonly #objects: KeptObjects;
  readonly #random: Random;
  /** Numbers of objects that are there, in any order, and of those that are not, longest away first. */
  readonly #live: Uint32Array;
  #liveCount = 0;
  readonly #away: number[] = [];
  #awayFirst = 0;
  readonly counts = { adds: 0, updates: 0, deletes: 0 };

  constructor(objects: KeptObjects, random: Random) {
    this.#objects = objects;
    this.#random = random;
    this.#live = new Uint32Array(objects.capacity);
    for (let i = 0; i < objects.capacity; i++) {
      if (objects.isLive(i)) this.#live[this.#liveCount++] = i;
      else this.#away.push(i);
    }
  }

  /** Draws the next change; {@link apply} makes it. */
  draw(mix: ChurnMix): Edit {
    const lot = mix === 'updates' ? UPDATE : this.#random.below(10);
    if (lot < CREATES_OF_TEN && this.#awayFirst < this.#away.length) {
      return { type: 'ADDED', object: this.#away[this.#awayFirst]!, place: this.#liveCount };
    }
    const place = this.#random.below(this.#liveCount);
    const object = this.#live[place]!;
    // The last object stays, so that there is one to update.
    const isDelete = lot >= CREATES_OF_TEN && lot < UPDATE && this.#liveCount > 1;
    return { type: isDelete ? 'DELETED' : 'MODIFIED', object, place };
  }

  apply({ type, object, place }: Edit, version: number): void {
    switch (type) {
      case 'MODIFIED':
        this.#objects.update(object, version);
        this.counts.updates++;
        return;
      case 'ADDED':
        this.#awayFirst++;
        this.#live[this.#liveCount++] = object;
        this.#objects.create(object, version);
        this.counts.adds++;
        return;
      case 'DELETED':
        this.#live[place] = this.#live[--this.#liveCount]!;
        this.#away.push(object);
        this.#objects.delete(object, version);
        this.counts.deletes++;
    }
  }
}
