/** How an informer is made, and the checks of that. */
import { type CompiledFields, compileFields, type Projection } from '../index/index.ts';
import type { ListerWatcher } from '../list-watch/index.ts';
import { type InitialList, type ResourceRef, resourcePath } from '../reflector/index.ts';
import type { ScanSpec } from '../scan/index.ts';
import { UsageError } from './errors.ts';
import { NAMESPACE_INDEX } from './lister.ts';

/** All fields are optional. */
export interface InformerOptions {
  /**
   * Indexes by name: field paths, for example `{ byNode: 'spec.nodeName' }`. Each informer has an index
   * `namespace` besides.
   */
  readonly indexers?: Readonly<Record<string, string>>;
  /** Fields by name that can be read without decoding the object, for example `{ phase: 'status.phase' }`. */
  readonly columns?: Readonly<Record<string, string>>;
  /** What is not kept of each object, for example `drop('metadata.managedFields')`. @default everything is kept */
  readonly project?: Projection;
  /** Only objects whose labels match, as `kubectl -l`. */
  readonly labelSelector?: string;
  /** Only objects whose fields match, as `kubectl --field-selector`. */
  readonly fieldSelector?: string;
  /**
   * Only metadata, as `PartialObjectMetadata`: what garbage collectors and label watchers need, at a fraction
   * of the bytes. @default false
   */
  readonly metadataOnly?: boolean;
  /**
   * How the objects that are there are got: by a list, by a watch that begins with them (WatchList), or `auto`.
   * Of JSON, a real API server (1.37) delivers a list twice as fast. @default 'list'
   */
  readonly initialList?: InitialList;
  /** Ask for gzip where the network is slower than two processors. @default 'identity' */
  readonly compression?: 'identity' | 'gzip';
  /** Most objects of one page of a list. @default 500 */
  readonly pageLimit?: number;
  /** How changes are queued: each in order of arrival, or those of one key together. @default 'total' */
  readonly ordering?: 'total' | 'per-key';
  /** Silence on a watch after which it is replaced, in milliseconds; 0 never. @default 3 minutes */
  readonly watchIdleMs?: number;
  /** Most bytes of bodies whose objects stay decoded. @default 128 MiB */
  readonly decodeCacheBytes?: number;
  /**
   * Where objects come from instead of the API server, for example a `ListWatch` of two functions. Runs on this
   * thread. Unless `watchIdleMs` is given, its watches may be silent for any time. `metadataOnly`, `initialList` and
   * `compression` are about requests to an API server and mean nothing here.
   */
  readonly listerWatcher?: ListerWatcher;
  /** Freezes decoded objects, so that a handler that writes to a shared object throws. For tests. @default false */
  readonly freeze?: boolean;
}

const DEFAULT_PAGE_LIMIT = 500;

/**
 * Some 13,000 whole Pods, or 25,000 without managedFields. Only what somebody looked at is there, so handlers
 * that read keys fill nothing. When it is smaller than what handlers read, the object before an update has to
 * be decoded again for each.
 */
const DEFAULT_DECODE_CACHE_BYTES = 128 * 1024 * 1024;

/** Options with defaults and compiled fields. */
export interface InformerPlan {
  readonly resource: ResourceRef;
  readonly options: InformerOptions;
  readonly pageLimit: number;
  readonly decodeCacheBytes: number;
  readonly fields: CompiledFields;
  readonly scan: ScanSpec;
}

/**
 * Checks options and compiles field paths.
 *
 * @throws UsageError, FieldPathError, FieldOptionsError, InvalidResourceError
 */
export function planInformer(resource: ResourceRef, options: InformerOptions): InformerPlan {
  resourcePath(resource);
  if (options.indexers !== undefined && Object.hasOwn(options.indexers, NAMESPACE_INDEX)) {
    throw new UsageError(`every informer has an index '${NAMESPACE_INDEX}': give yours another name`);
  }
  const { pageLimit = DEFAULT_PAGE_LIMIT, decodeCacheBytes = DEFAULT_DECODE_CACHE_BYTES } = options;
  if (!Number.isInteger(pageLimit) || pageLimit < 0) {
    throw new UsageError(`pageLimit is a whole number from 0 (no pages) on, not ${pageLimit}`);
  }
  if (!(decodeCacheBytes >= 0)) {
    throw new UsageError(`decodeCacheBytes is a number of bytes from 0 on, not ${decodeCacheBytes}`);
  }
  checkListerWatcher(options.listerWatcher);
  const fields = compileFields({
    indexers: { ...options.indexers, [NAMESPACE_INDEX]: 'metadata.namespace' },
    columns: options.columns ?? {},
  });
  const scan: ScanSpec = {
    fields: fields.fields.map(({ id, steps }) => ({ id, path: steps })),
    drops: options.project?.paths ?? [],
  };
  return { resource, options, pageLimit, decodeCacheBytes, fields, scan };
}

/** Whether an informer made with one serves who asks with the other. */
export function isSameOptions(a: InformerOptions, b: InformerOptions): boolean {
  const { listerWatcher: sourceA, ...restA } = a;
  const { listerWatcher: sourceB, ...restB } = b;
  return sourceA === sourceB && JSON.stringify(restA) === JSON.stringify(restB);
}

function checkListerWatcher(listerWatcher: Partial<ListerWatcher> | undefined): void {
  if (listerWatcher === undefined) return;
  if (typeof listerWatcher?.list !== 'function' || typeof listerWatcher.watch !== 'function') {
    throw new UsageError(
      'listerWatcher is an object with the methods list and watch, for example a ListWatch',
    );
  }
}
