/** Finds objects of an informer's cache by index values, namespace and labels. */
import { bytePathOf, formatFieldPath, indexBy, parseFieldPath } from '../index/index.ts';
import { LabelSelector, parseLabelSelector, type Requirement } from '../selector/index.ts';
import type { BlockRef, Conditions, ObjectSource } from '../store/index.ts';
import { UsageError } from './errors.ts';
import { type ObjectContext, ObjectRef } from './object-ref.ts';

/** Name of the index that every informer has. */
export const NAMESPACE_INDEX = 'namespace';

/** Which objects are meant. All fields are optional; what is given has to hold together. */
export interface Selection {
  /** Only objects of this namespace; '' is all namespaces. @default all namespaces */
  readonly namespace?: string;
  /**
   * Only objects whose labels match: what `kubectl -l` takes, for example `app=web,tier in (a,b),!canary`. `app=web` and
   * `app` use an index `indexBy.label('app')` or `indexBy.labelName` when there is one. Otherwise labels are read from the
   * bytes of each object that is left: a few microseconds each. @default all objects
   */
  readonly labelSelector?: string;
}

/** Which part of a list is wanted. */
export interface PageOptions {
  /** Most objects of this page. @default all of them */
  readonly limit?: number;
  /** What the page before said: only what comes behind. @default from the start */
  readonly continue?: string | undefined;
}

const LABELS = bytePathOf('metadata.labels');

/**
 * Made by `Lister.query`. Nothing is looked up before one of the methods is called, and each call sees what is in the
 * cache then, so a query can be kept and asked again.
 *
 * ```ts
 * const running = pods.lister.query({ byNode: 'n1', byPhase: 'Running' }, { namespace: 'a', labelSelector: 'app=web' });
 * running.count();                                   // nothing decoded
 * for (const ref of running) console.log(ref.key);   // one by one: other work may be done between two of them
 * ```
 */
export class Query<T = object> implements Iterable<ObjectRef<T>> {
  readonly #source: ObjectSource;
  readonly #context: ObjectContext;
  readonly #where: Readonly<Record<string, string>>;
  readonly #selector: LabelSelector;

  /** @internal */
  constructor(
    source: ObjectSource,
    context: ObjectContext,
    where: Readonly<Record<string, string>>,
    { namespace = '', labelSelector = '' }: Selection,
  ) {
    this.#source = source;
    this.#context = context;
    this.#where = namespace === '' ? where : inNamespace(where, namespace);
    this.#selector = parseLabelSelector(labelSelector);
    checkValues(this.#where);
    // What is wrong with a name is said now, not when the query is asked.
    this.#plan();
  }

  /** The objects, in no order. Decodes each that is not decoded. */
  objects(): T[] {
    const { bodies } = this.#context;
    return this.#collect((ref) => bodies.decode(ref) as T);
  }

  /** Handles to the objects, in no order; nothing is decoded. */
  refs(): ObjectRef<T>[] {
    return this.#collect((ref) => this.#refOf(ref));
  }

  /** The keys of the objects, in no order; nothing is decoded. */
  keys(): string[] {
    return this.#collect((ref) => this.#refOf(ref).key);
  }

  /** How many objects there are. Without a label selector and with one index at most, none is looked at. */
  count(): number {
    const { conditions, labels } = this.#plan();
    if (labels === undefined) return this.#source.count(conditions);
    return this.#collect(() => true).length;
  }

  /**
   * Objects in the order of their keys, by bytes, as the API server lists them. The next page begins behind the last key
   * of this one, whatever has changed in between. No order is kept in the cache: each page looks at the keys of all that
   * the query finds, some milliseconds for 20,000 objects.
   *
   * @throws UsageError when the limit is no whole number from 1 on
   */
  page(options: PageOptions = {}): Page<T> {
    const { limit = Number.MAX_SAFE_INTEGER, continue: after } = options;
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new UsageError(`the limit of a page is a whole number from 1 on, not ${limit}`);
    }
    const { conditions, labels } = this.#plan();
    const isWanted = (ref: BlockRef) => this.#isSelected(ref, labels);
    const found = this.#source.page(conditions, { after, limit, isWanted });
    const refs = found.refs.map((ref) => this.#refOf(ref));
    return new Page(refs, found.hasMore ? refs.at(-1)!.key : undefined);
  }

  /**
   * The handles one by one, for as many as you like: the cache may change while you do something else between two of
   * them. What comes or goes meanwhile may be given or not; what is given is current when it is.
   */
  *[Symbol.iterator](): Iterator<ObjectRef<T>> {
    const { conditions, labels } = this.#plan();
    const source = this.#source;
    for (const found of source.iterate(conditions)) {
      const ref = source.read(found, conditions, (now) => (this.#isSelected(now, labels) ? now : undefined));
      if (ref !== undefined) yield this.#refOf(ref);
    }
  }

  /** What is read of each object, without those that are not selected. */
  #collect<R>(read: (ref: BlockRef) => R): R[] {
    const { conditions, labels } = this.#plan();
    const source = this.#source;
    const readSelected = (now: BlockRef) => (this.#isSelected(now, labels) ? read(now) : undefined);
    const results: R[] = [];
    source.visit(conditions, (found) => {
      const result = source.read(found, conditions, readSelected);
      if (result !== undefined) results.push(result);
    });
    return results;
  }

  /** What indexes can answer, and what is left for the labels of each object. Indexes may have come or gone. */
  #plan(): { conditions: Conditions; labels: LabelSelector | undefined } {
    const where: Record<string, string> = { ...this.#where };
    const left = this.#selector.requirements.filter((requirement) => {
      const [path, value] = asIndexValue(requirement) ?? [];
      const index = path === undefined ? undefined : this.#context.indexOfPath(path);
      // One value of each index can be asked for.
      if (index === undefined || Object.hasOwn(where, index)) return true;
      where[index] = value!;
      return false;
    });
    const conditions = this.#source.conditions(where);
    return { conditions, labels: left.length === 0 ? undefined : new LabelSelector(left) };
  }

  #isSelected(ref: BlockRef, labels: LabelSelector | undefined): boolean {
    return labels?.matches(this.#labelsOf(ref)) ?? true;
  }

  #labelsOf(block: BlockRef): Readonly<Record<string, unknown>> {
    const { bodies } = this.#context;
    const object = bodies.cached(block) as { metadata?: { labels?: unknown } } | undefined;
    const labels = object === undefined ? bodies.valuesAt(block, LABELS)[0] : object.metadata?.labels;
    return typeof labels === 'object' && labels !== null ? (labels as Record<string, unknown>) : {};
  }

  #refOf(ref: BlockRef): ObjectRef<T> {
    return new ObjectRef<T>(this.#context, ref);
  }
}

/** A part of an ordered list. */
export class Page<T = object> {
  /** Handles in the order of their keys; nothing is decoded. */
  readonly refs: readonly ObjectRef<T>[];
  /** For the next page; undefined when this is the last one. */
  readonly continue: string | undefined;

  /** @internal */
  constructor(refs: readonly ObjectRef<T>[], next: string | undefined) {
    this.refs = refs;
    this.continue = next;
  }

  /** The objects; decodes each that is not decoded. */
  get objects(): T[] {
    return this.refs.map((ref) => ref.object);
  }

  get keys(): string[] {
    return this.refs.map((ref) => ref.key);
  }
}

/** The path of an index that answers a requirement, and the value to ask it for. */
function asIndexValue({ key, operator, values }: Requirement): [path: string, value: string] | undefined {
  if (operator === 'exists') return [indexBy.labelName, key];
  if (operator !== 'in' || values.length !== 1) return undefined;
  return [formatFieldPath(parseFieldPath(indexBy.label(key))), values[0]!];
}

function inNamespace(
  where: Readonly<Record<string, string>>,
  namespace: string,
): Readonly<Record<string, string>> {
  const other = where[NAMESPACE_INDEX];
  if (other === undefined || other === namespace) return { ...where, [NAMESPACE_INDEX]: namespace };
  throw new UsageError(`a query is for one namespace, not for '${other}' and '${namespace}' at once`);
}

function checkValues(where: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(where)) {
    if (typeof value === 'string') continue;
    throw new UsageError(
      `the value of an index is a string, and for '${name}' it is ${value === null ? 'null' : typeof value}`,
    );
  }
}
