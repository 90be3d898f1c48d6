/** Compares what an object costs with what it cost when that was recorded. */

/** Bytes for each object of a list. */
export interface GuardedFigures {
  /** JavaScript heap of the home thread after a full collection, above what was there before the list. */
  readonly heapBytesPerObject: number;
  /** Bodies, tables, indexes and rings. */
  readonly sharedBytesPerObject: number;
}

export interface GuardRecord extends GuardedFigures {
  readonly pods: number;
  readonly seed: number;
  /** Major version: what V8 needs for the same objects differs between them. */
  readonly node: number;
}

/** Neither figure depends on how busy the machine is; what is left is when V8 compiles and drops code. */
const TOLERANCE = 0.1;

const FIGURES = [
  ['heapBytesPerObject', 'heap after a collection'],
  ['sharedBytesPerObject', 'shared memory'],
] as const;

/** @returns a sentence for each figure that is off by more than a tenth; less memory has to be recorded, too */
export function differences(observed: GuardedFigures, recorded: GuardedFigures): string[] {
  return FIGURES.flatMap(([name, title]) => {
    const [now, then] = [observed[name], recorded[name]];
    if (Math.abs(now - then) <= then * TOLERANCE) return [];
    const percent = Math.round((100 * (now - then)) / then);
    const what = `${title}: ${now} bytes an object, recorded were ${then} (${percent > 0 ? '+' : ''}${percent} %)`;
    return [now > then ? what : `${what}; if that is meant to stay, record it`];
  });
}
