/** Informers that are fed by functions instead of an API server. Their reflectors run on the home thread. */
export { ListWatchError } from './errors.ts';
export { extractList, resourceVersionOf } from './extract-list.ts';
export { ListWatch, type ListWatchFunctions } from './list-watch.ts';
export { LocalWorker } from './local-worker.ts';
export type {
  ListBytes,
  ListerWatcher,
  ListOptions,
  ObjectList,
  WatchEvent,
  WatchOptions,
  WatchStream,
} from './types.ts';
