/** A power of two. */
const MIN_CAPACITY = 64;

/**
 * Times, the earliest first, as a heap of four children per node in typed arrays: 24 bytes per time, and no objects.
 * Each time has a slot, a small number by which its owner finds what belongs to it and by which it can be changed.
 * Equal times come out in the order in which they were set.
 */
export class DelayHeap {
  /** By position in the heap. */
  #timesMs = new Float64Array(MIN_CAPACITY);
  /** By position: breaks ties. */
  #sequences = new Float64Array(MIN_CAPACITY);
  /** By position. From `size` on these are the free slots. */
  #slots = countUp(new Uint32Array(MIN_CAPACITY), 0);
  /** By slot; of use for slots in the heap only. */
  #positions = new Uint32Array(MIN_CAPACITY);
  #size = 0;
  #sequence = 0;

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#slots.length;
  }

  /** The earliest time; Infinity when there is none. */
  get firstMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#timesMs[0]!;
  }

  /** Three quarters of it are empty: `compact` would pay. */
  get isSparse(): boolean {
    return this.#size < this.capacity >> 2 && this.capacity > MIN_CAPACITY;
  }

  /** Returns the slot of the new time. */
  push(timeMs: number): number {
    if (this.#size === this.capacity) this.#grow();
    const slot = this.#slots[this.#size]!;
    this.#riseFrom(this.#size++, timeMs, this.#sequence++, slot);
    return slot;
  }

  /** Sets a slot's time if that makes it earlier. */
  advance(slot: number, timeMs: number): void {
    const position = this.#positions[slot]!;
    if (timeMs < this.#timesMs[position]!) this.#riseFrom(position, timeMs, this.#sequence++, slot);
  }

  /** Takes the earliest time out and returns its slot, which is free from now on. */
  shift(): number {
    const slot = this.#slots[0]!;
    this.remove(slot);
    return slot;
  }

  /** The slot is free from now on. */
  remove(slot: number): void {
    const position = this.#positions[slot]!;
    const last = --this.#size;
    const timeMs = this.#timesMs[last]!;
    const sequence = this.#sequences[last]!;
    const lastSlot = this.#slots[last]!;
    this.#slots[last] = slot;
    if (position === last) return;
    const parent = (position - 1) >> 2;
    if (position > 0 && this.#isBefore(timeMs, sequence, parent)) {
      this.#riseFrom(position, timeMs, sequence, lastSlot);
    } else {
      this.#sinkFrom(position, timeMs, sequence, lastSlot);
    }
  }

  /** Gives memory back and numbers the slots anew: what had slot `old[i]` of the returned array has slot `i` now. */
  compact(): Uint32Array {
    const old = this.#slots.slice(0, this.#size);
    let capacity = MIN_CAPACITY;
    while (capacity < this.#size * 2) capacity *= 2;
    this.#timesMs = this.#timesMs.slice(0, capacity);
    this.#sequences = this.#sequences.slice(0, capacity);
    this.#slots = countUp(new Uint32Array(capacity), 0);
    this.#positions = countUp(new Uint32Array(capacity), 0);
    return old;
  }

  #riseFrom(start: number, timeMs: number, sequence: number, slot: number): void {
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      if (!this.#isBefore(timeMs, sequence, parent)) break;
      this.#move(parent, position);
      position = parent;
    }
    this.#place(position, timeMs, sequence, slot);
  }

  #sinkFrom(start: number, timeMs: number, sequence: number, slot: number): void {
    let position = start;
    for (;;) {
      const child = this.#earliestChild(position);
      if (child === -1 || this.#isBefore(timeMs, sequence, child)) break;
      this.#move(child, position);
      position = child;
    }
    this.#place(position, timeMs, sequence, slot);
  }

  #earliestChild(position: number): number {
    const first = position * 4 + 1;
    if (first >= this.#size) return -1;
    const end = Math.min(first + 4, this.#size);
    let earliest = first;
    for (let child = first + 1; child < end; child++) {
      if (this.#isBefore(this.#timesMs[child]!, this.#sequences[child]!, earliest)) earliest = child;
    }
    return earliest;
  }

  #isBefore(timeMs: number, sequence: number, position: number): boolean {
    const otherMs = this.#timesMs[position]!;
    return timeMs < otherMs || (timeMs === otherMs && sequence < this.#sequences[position]!);
  }

  #move(from: number, to: number): void {
    this.#place(to, this.#timesMs[from]!, this.#sequences[from]!, this.#slots[from]!);
  }

  #place(position: number, timeMs: number, sequence: number, slot: number): void {
    this.#timesMs[position] = timeMs;
    this.#sequences[position] = sequence;
    this.#slots[position] = slot;
    this.#positions[slot] = position;
  }

  #grow(): void {
    const capacity = this.capacity * 2;
    const slots = countUp(new Uint32Array(capacity), this.#size);
    slots.set(this.#slots);
    this.#slots = slots;
    this.#timesMs = enlarge(this.#timesMs, capacity);
    this.#sequences = enlarge(this.#sequences, capacity);
    const positions = new Uint32Array(capacity);
    positions.set(this.#positions);
    this.#positions = positions;
  }
}

/** Numbers the elements from `start` on with their own index. */
function countUp(array: Uint32Array<ArrayBuffer>, start: number): Uint32Array<ArrayBuffer> {
  for (let i = start; i < array.length; i++) array[i] = i;
  return array;
}

function enlarge(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(array);
  return larger;
}
