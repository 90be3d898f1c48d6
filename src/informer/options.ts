/** How an informer is made, and the checks of that. */
import type { KubeConfig } from '@kubernetes/client-node';
import {
  type ColumnSpec,
  type CompiledFields,
  checkFieldName,
  compileFields,
  FieldOptionsError,
  type IndexFunction,
  type IndexSpec,
  type ModuleExport,
  type ModuleFunction,
  moduleExportOf,
  type Projection,
  splitIndexers,
} from '../index/index.ts';
import { MAX_FIELD_IDS } from '../layout/block.ts';
import { MAX_SHARDS } from '../layout/shard.ts';
import type { ListerWatcher } from '../list-watch/index.ts';
import { type InitialList, type ResourceRef, resourcePath } from '../reflector/index.ts';
import { checkScanSpec, type ScanSpec } from '../scan/index.ts';
import type { BodyFormat } from '../store/index.ts';
import type { FunctionsSpec } from '../worker/index.ts';
import { UsageError } from './errors.ts';
import { checkResyncMs } from './handler-options.ts';
import { NAMESPACE_INDEX } from './lister.ts';

/** All fields are optional. */
export interface InformerOptions<T = object> {
  /**
   * Indexes by name: field paths, for example `{ byNode: 'spec.nodeName' }`, which the worker follows, or functions of
   * objects, which are called on this thread and are slow, see `IndexFunction`; `{ module, export }` is such a function
   * that runs in the worker. `indexBy` has common paths. Each informer has an index `namespace` besides.
   */
  readonly indexers?: Readonly<Record<string, IndexSpec<T>>>;
  /**
   * Fields by name that can be read without decoding the object, for example
   * `{ phase: 'status.phase', replicas: { path: 'spec.replicas', type: 'number' } }`.
   */
  readonly columns?: Readonly<Record<string, ColumnSpec>>;
  /**
   * What is kept of each object, for example `drop('metadata.managedFields')` or `keep('metadata.labels', 'spec')`.
   * @default everything
   */
  readonly project?: Projection;
  /**
   * A function of a module, which the worker calls once with each object, parsed, after `project`. Its result, as JSON has
   * it, is cached in place of the object, with the object's kind and apiVersion. Keys, uids and resourceVersions, columns
   * and paths of `indexers` are those of the object itself; indexes that are added later see the result. When the function
   * throws or gives no object, the object is kept as it was, and the failure is counted (`stats.transformErrors`).
   */
  readonly transform?: ModuleFunction;
  /**
   * What cached objects are stored as: JSON as the server sent it; records, in which keys and repeated strings are numbers
   * of a dictionary, so that they take a quarter of the memory and are decoded several times faster, for some microseconds
   * of the worker for each object; or MessagePack whose lists of keys are shared, for which the worker has to parse each
   * object. What a form can't give back exactly is stored as JSON all the same, and what a `listerWatcher` gives is never
   * made records. @default 'msgpack' with `transform`, else 'json'
   */
  readonly bodies?: BodyFormat;
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
  /**
   * Most bytes of the bodies of this informer's objects; those of all informers together have a limit, too, see
   * `FactoryOptions.memoryLimitBytes`. At the limit the informer keeps what it has, says so with an `arena-full` error, and
   * takes objects in again when others have gone. With several `namespaces` and several workers, each worker has the
   * part of its namespaces. At least 1 MiB. @default no limit but the factory's
   */
  readonly memoryLimitBytes?: number;
  /** Most bytes of bodies whose objects stay decoded; those of records count four times. @default 128 MiB */
  readonly decodeCacheBytes?: number;
  /** Most objects that stay decoded. @default no limit but the bytes */
  readonly decodeCacheEntries?: number;
  /**
   * Where objects come from instead of the API server, for example a `ListWatch` of two functions. Runs on this
   * thread. Unless `watchIdleMs` is given, its watches may be silent for any time. `metadataOnly`, `initialList` and
   * `compression` are about requests to an API server and mean nothing here.
   */
  readonly listerWatcher?: ListerWatcher;
  /**
   * Period after which handlers that name none get each object again, in milliseconds; 0 for never. See
   * `HandlerOptions.resyncMs`. @default 0
   */
  readonly resyncMs?: number;
  /**
   * Several namespaces in one informer: a list and watch for each, one cache and one lister for all. For who may not
   * list the whole cluster. @default the namespace of the resource, or all
   */
  readonly namespaces?: readonly string[];
  /**
   * Names another view of the same resource, namespace and selectors, with a projection, columns or indexes of its
   * own: it has its own watch and cache. @default ''
   */
  readonly view?: string;
  /**
   * Another cluster than the factory's. Its informers share the factory's workers and memory, and have connections of
   * their own.
   */
  readonly kubeConfig?: KubeConfig;
  /**
   * Parts of the cache, each with a table and a version of its own: a power of two from 1 to 256. With more, one part grows
   * in less time and readers on other threads repeat fewer reads; each part has its own copy of an index value.
   * @default 16
   */
  readonly shards?: number;
  /** Freezes decoded objects, so that a handler that writes to a shared object throws. For tests. @default false */
  readonly freeze?: boolean;
}

const DEFAULT_PAGE_LIMIT = 500;

const BODY_FORMATS: readonly BodyFormat[] = ['json', 'record', 'msgpack'];
const DEFAULT_BODIES: BodyFormat = 'json';
/** Of transformed objects, which the worker has to parse anyway. */
const DEFAULT_TRANSFORMED_BODIES: BodyFormat = 'msgpack';

/**
 * Some 13,000 whole Pods, or 25,000 without managedFields. Only what somebody looked at is there, so handlers
 * that read keys fill nothing. When it is smaller than what handlers read, the object before an update has to
 * be decoded again for each.
 */
const DEFAULT_DECODE_CACHE_BYTES = 128 * 1024 * 1024;

/** With less, an object that is as large as a server allows would not fit. */
const MIN_MEMORY_LIMIT_BYTES = 1024 * 1024;

/** Options with defaults and compiled fields. */
export interface InformerPlan {
  readonly resource: ResourceRef;
  readonly options: InformerOptions;
  /** When there are several in one informer. */
  readonly namespaces: readonly string[] | undefined;
  readonly pageLimit: number;
  readonly decodeCacheBytes: number;
  readonly resyncMs: number;
  readonly fields: CompiledFields;
  /** Indexes that are functions. */
  readonly functions: ReadonlyMap<string, IndexFunction>;
  /** Indexes whose functions run in the worker. */
  readonly workerIndexes: FunctionsSpec['indexes'];
  /** What the worker does with each object besides scanning it; undefined for nothing. */
  readonly workerFunctions: FunctionsSpec | undefined;
  readonly bodies: BodyFormat;
  readonly scan: ScanSpec;
}

/**
 * Checks options and compiles field paths.
 *
 * @throws UsageError, FieldPathError, FieldOptionsError, ScanSpecError, InvalidResourceError
 */
export function planInformer(resource: ResourceRef, options: InformerOptions): InformerPlan {
  resourcePath(resource);
  if (options.indexers !== undefined && Object.hasOwn(options.indexers, NAMESPACE_INDEX)) {
    throw new UsageError(`every informer has an index '${NAMESPACE_INDEX}': give yours another name`);
  }
  const { resyncMs = 0, namespaces } = options;
  checkResyncMs(resyncMs);
  checkNamespaces(resource, namespaces);
  const { pageLimit = DEFAULT_PAGE_LIMIT, decodeCacheBytes = DEFAULT_DECODE_CACHE_BYTES } = options;
  if (!Number.isInteger(pageLimit) || pageLimit < 0) {
    throw new UsageError(`pageLimit is a whole number from 0 (no pages) on, not ${pageLimit}`);
  }
  if (!(decodeCacheBytes >= 0)) {
    throw new UsageError(`decodeCacheBytes is a number of bytes from 0 on, not ${decodeCacheBytes}`);
  }
  checkShards(options.shards);
  checkMemoryLimit(options.memoryLimitBytes);
  const { decodeCacheEntries = 0, project } = options;
  if (!Number.isInteger(decodeCacheEntries) || decodeCacheEntries < 0) {
    throw new UsageError(`decodeCacheEntries is a whole number from 0 on, not ${decodeCacheEntries}`);
  }
  checkListerWatcher(options.listerWatcher);
  const { paths, functions, modules } = splitIndexers(options.indexers ?? {});
  for (const name of [...functions.keys(), ...modules.keys()]) checkFieldName('indexers', name);
  const fields = compileFields({
    indexers: { ...paths, [NAMESPACE_INDEX]: 'metadata.namespace' },
    columns: options.columns ?? {},
  });
  const scan: ScanSpec = {
    fields: fields.fields.map(({ id, steps }) => ({ id, path: steps })),
    drops: project?.type === 'drop' ? project.paths : [],
    keeps: project?.type === 'keep' ? project.paths : [],
  };
  // What the worker could not load is said here and now.
  checkScanSpec(scan);
  const workerIndexes = indexesOf(modules, fields);
  const bodies = bodiesOf(options);
  return {
    resource,
    options,
    namespaces,
    pageLimit,
    decodeCacheBytes,
    resyncMs,
    fields,
    functions,
    workerIndexes,
    workerFunctions: workerFunctionsOf(options, bodies, workerIndexes),
    bodies,
    scan,
  };
}

/** Gives the indexes of modules the field ids behind those of paths. */
function indexesOf(modules: ReadonlyMap<string, ModuleExport>, { fields }: CompiledFields) {
  const count = fields.length + modules.size;
  if (count > MAX_FIELD_IDS) {
    const message = `an informer has at most ${MAX_FIELD_IDS} different paths and functions of modules, not ${count}`;
    throw new FieldOptionsError('FIELD_LIMIT', message);
  }
  return [...modules].map(([name, one], i) => ({ name, fieldId: fields.length + i, ...one }));
}

function bodiesOf({ transform, bodies, listerWatcher }: InformerOptions): BodyFormat {
  const stored = bodies ?? (transform === undefined ? DEFAULT_BODIES : DEFAULT_TRANSFORMED_BODIES);
  if (!BODY_FORMATS.includes(stored)) {
    throw new UsageError(`bodies is 'json', 'record' or 'msgpack', not ${JSON.stringify(stored)}`);
  }
  return listerWatcher !== undefined && stored === 'record' ? 'json' : stored;
}

function workerFunctionsOf(
  options: InformerOptions,
  bodies: BodyFormat,
  indexes: FunctionsSpec['indexes'],
): FunctionsSpec | undefined {
  const transform =
    options.transform === undefined ? undefined : moduleExportOf('transform', options.transform);
  if (transform === undefined && indexes.length === 0 && bodies !== 'msgpack') return undefined;
  if (options.listerWatcher !== undefined) {
    throw new UsageError(
      'transform, indexes of modules and MessagePack bodies need a worker, and a listerWatcher has none: ' +
        'let its functions give what is to be cached',
    );
  }
  return { ...(transform !== undefined && { transform }), indexes };
}

function checkNamespaces(resource: ResourceRef, namespaces: readonly string[] | undefined): void {
  if (namespaces === undefined) return;
  if (resource.namespace !== undefined) {
    throw new UsageError('give either a namespace in the resource or the option namespaces, not both');
  }
  if (namespaces.length === 0 || new Set(namespaces).size < namespaces.length) {
    throw new UsageError(
      'namespaces names at least one namespace, and each once; leave it out for all of them',
    );
  }
  for (const namespace of namespaces) resourcePath({ ...resource, namespace });
}

function checkListerWatcher(listerWatcher: Partial<ListerWatcher> | undefined): void {
  if (listerWatcher === undefined) return;
  if (typeof listerWatcher?.list !== 'function' || typeof listerWatcher.watch !== 'function') {
    throw new UsageError(
      'listerWatcher is an object with the methods list and watch, for example a ListWatch',
    );
  }
}

function checkMemoryLimit(memoryLimitBytes: number | undefined): void {
  if (memoryLimitBytes === undefined || memoryLimitBytes >= MIN_MEMORY_LIMIT_BYTES) return;
  throw new UsageError(`memoryLimitBytes of an informer is at least 1 MiB, not ${memoryLimitBytes}`);
}

function checkShards(shards: number | undefined): void {
  if (shards === undefined) return;
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS && (shards & (shards - 1)) === 0)
    return;
  throw new UsageError(`shards is a power of two from 1 to ${MAX_SHARDS}, not ${shards}`);
}
