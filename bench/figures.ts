/** The figures of a run, and how they are shown. */

/** Of one run. A figure is missing when a library or a version of Node does not have it. */
export type Figures = { readonly [Name in FigureName]?: number };

export type FigureName = (typeof FIGURES)[number]['name'];

export interface FigureSpec {
  readonly name: string;
  /** With the unit. */
  readonly title: string;
  readonly digits: number;
  /** Missing where neither is to the credit of a library. */
  readonly better?: 'less' | 'more';
}

export const FIGURES = [
  { name: 'listMs', title: 'list: until synced, ms', digits: 0, better: 'less' },
  { name: 'listMainCpuUs', title: 'list: main-thread CPU, µs/object', digits: 1, better: 'less' },
  { name: 'listCpuUs', title: 'list: process CPU, µs/object', digits: 1, better: 'less' },
  { name: 'listStallMs', title: 'list: longest stall, ms', digits: 1, better: 'less' },
  { name: 'eventsPerSecond', title: 'watch: events/s', digits: 0, better: 'more' },
  { name: 'eventMainCpuUs', title: 'watch: main-thread CPU, µs/event', digits: 1, better: 'less' },
  { name: 'eventCpuUs', title: 'watch: process CPU, µs/event', digits: 1, better: 'less' },
  { name: 'eventStallMs', title: 'watch: longest stall, ms', digits: 1, better: 'less' },
  { name: 'eventDecodes', title: 'watch: bodies decoded per event', digits: 2 },
  { name: 'serverCpuUs', title: "watch: server's CPU, µs/event", digits: 1 },
  { name: 'rssPeakMb', title: 'RSS peak, MB', digits: 0, better: 'less' },
  { name: 'heapMb', title: 'heap after GC, MB', digits: 1, better: 'less' },
  { name: 'externalMb', title: 'external, MB', digits: 1, better: 'less' },
  { name: 'sharedMb', title: 'shared memory, MB', digits: 1, better: 'less' },
] as const satisfies readonly FigureSpec[];
