/**
 * The indexes of an informer: those that it was made with, and those that come and go while it runs. Objects that are
 * there already are indexed in slices, so that nothing waits for it.
 */
import {
  BytePath,
  type CompiledFields,
  checkedValues,
  checkFieldName,
  FieldPathError,
  formatFieldPath,
  type IndexFunction,
  type IndexSpec,
  isModuleFunction,
  isReadable,
  isSameModuleExport,
  type ModuleExport,
  moduleExportOf,
  type Projection,
  parseNamed,
  splitIndexers,
} from '../index/index.ts';
import { type Bodies, DuplicateIndexError, type IndexDefinition, type Indexer } from '../store/index.ts';
import type { FunctionsSpec } from '../worker/index.ts';
import { StoppedError, UsageError } from './errors.ts';
import { NAMESPACE_INDEX } from './query.ts';

/** Slots that are looked at before the time is looked at: functions of users may take long for one. */
const STEP_SLOTS = 16;

/** Longest slice, as for draining the rings. */
const SLICE_MS = 2;

export interface InformerIndexesOptions {
  readonly fields: CompiledFields;
  readonly functions: ReadonlyMap<string, IndexFunction>;
  /** Those whose functions run in the worker: blocks have their values. */
  readonly workerIndexes: FunctionsSpec['indexes'];
  readonly projection: Projection | undefined;
  readonly bodies: Bodies;
  readonly now: () => number;
}

interface Building {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class InformerIndexes {
  readonly #options: InformerIndexesOptions;
  /** What was asked for, by name: a path in its written form, a function, or a function of a module. */
  readonly #specs = new Map<string, string | IndexFunction | ModuleExport>();
  /** Called when indexes came that can be asked, or went. */
  onChange: () => void = () => {};
  #indexer: Indexer | undefined;
  #building: Building[] = [];
  #isScheduled = false;
  #isStopped = false;

  constructor(options: InformerIndexesOptions) {
    this.#options = options;
    const { fields, functions, workerIndexes } = options;
    for (const { name, module, export: exported } of workerIndexes) {
      this.#specs.set(name, { module, export: exported });
    }
    for (const { name, fieldId } of fields.indexes) {
      this.#specs.set(name, formatFieldPath(fields.fields.find(({ id }) => id === fieldId)?.steps ?? []));
    }
    for (const [name, indexFunction] of functions) this.#specs.set(name, indexFunction);
  }

  /** Those that the informer is made with. */
  get definitions(): IndexDefinition[] {
    const { fields, functions, workerIndexes } = this.#options;
    return [
      ...fields.indexes,
      ...workerIndexes.map(({ name, fieldId }) => ({ name, fieldId })),
      ...[...functions].map(([name, one]) => this.#computedBy(name, one)),
    ];
  }

  /** Where the objects are. To be called once, before anything else is. */
  open(indexer: Indexer): void {
    this.#indexer = indexer;
  }

  /**
   * Adds indexes. All of them, or none when one can't be.
   *
   * @returns a promise that resolves when they have all objects
   */
  add(indexers: Readonly<Record<string, IndexSpec>>): Promise<void> {
    const { paths, functions, modules } = splitIndexers(indexers);
    for (const name of modules.keys()) {
      throw new UsageError(
        `indexers.${name} is a function of a module, which the worker has to know from the start: give it to informerFor`,
      );
    }
    const definitions: IndexDefinition[] = [];
    const specs = new Map<string, string | IndexFunction>(functions);
    for (const [name, path] of Object.entries(paths)) {
      checkFieldName('indexers', name);
      const steps = parseNamed('indexers', name, path);
      specs.set(name, formatFieldPath(steps));
      definitions.push(this.#definitionOf(name, path, steps));
    }
    for (const [name, one] of functions) {
      checkFieldName('indexers', name);
      definitions.push(this.#computedBy(name, one));
    }
    for (const name of specs.keys()) if (this.#specs.has(name)) throw new DuplicateIndexError(name);
    for (const definition of definitions) this.#indexer!.indexes.add(definition);
    for (const [name, spec] of specs) this.#specs.set(name, spec);
    this.onChange();
    return this.#build([...specs.keys()]);
  }

  /** As `add`, without those that are there in the same form. */
  ensure(indexers: Readonly<Record<string, IndexSpec>>): Promise<void> {
    const missing = Object.entries(indexers).filter(([name, spec]) => {
      const known = this.#specs.get(name);
      if (isModuleFunction(spec)) {
        return (
          !isModuleFunction(known) || !isSameModuleExport(known, moduleExportOf(`indexers.${name}`, spec))
        );
      }
      const asked = typeof spec === 'string' ? formatFieldPath(parseNamed('indexers', name, spec)) : spec;
      return known === undefined || known !== asked;
    });
    void this.add(Object.fromEntries(missing));
    return this.#build(Object.keys(indexers));
  }

  /** Name of an index over this path (in its written form) that has all objects. */
  indexOfPath(path: string): string | undefined {
    for (const [name, spec] of this.#specs) {
      if (spec === path && !this.#indexer!.indexes.unready.includes(name)) return name;
    }
    return undefined;
  }

  /** The paths of indexes, in their written form, with the names of the indexes. */
  get paths(): [path: string, name: string][] {
    return [...this.#specs].flatMap(([name, spec]) => (typeof spec === 'string' ? [[spec, name]] : []));
  }

  /** Removes an index. Its memory is given back in slices. */
  remove(name: string): void {
    if (name === NAMESPACE_INDEX) throw new UsageError(`every informer has its index '${NAMESPACE_INDEX}'`);
    this.#indexer!.indexes.remove(name);
    this.#specs.delete(name);
    this.onChange();
    this.#schedule();
  }

  /** Nothing is indexed any more. */
  stop(): void {
    this.#isStopped = true;
    const error = new StoppedError('the informer was stopped before its new indexes had all objects');
    for (const { reject } of this.#building) reject(error);
    this.#building = [];
  }

  #definitionOf(name: string, path: string, steps: ReturnType<typeof parseNamed>): IndexDefinition {
    const { fields, bodies, projection } = this.#options;
    const written = formatFieldPath(steps);
    const known = fields.fields.find((field) => formatFieldPath(field.steps) === written);
    // Blocks have it: no body has to be looked into.
    if (known !== undefined) return { name, fieldId: known.id };
    if (projection !== undefined && !isReadable(projection, steps)) {
      const message =
        `indexers.${name}: ${JSON.stringify(path)} leads to what \`project\` leaves out of cached objects; an index that ` +
        'the informer is made with can have it';
      throw new FieldPathError('FIELD_PATH_PROJECTED', message, path);
    }
    const compiled = new BytePath(steps);
    return { name, valuesOf: (ref) => bodies.indexValuesAt(ref, compiled) };
  }

  #computedBy(name: string, indexFunction: IndexFunction): IndexDefinition {
    const { bodies } = this.#options;
    return { name, valuesOf: (ref) => checkedValues(indexFunction(bodies.decode(ref))) };
  }

  #build(names: readonly string[]): Promise<void> {
    const unready = this.#indexer!.indexes.unready;
    if (!names.some((name) => unready.includes(name))) return Promise.resolve();
    const building: Building = Promise.withResolvers<void>();
    // Whoever does not wait for it gets IndexNotReadyErrors, not an unhandled rejection.
    building.promise.catch(() => {});
    this.#building.push(building);
    this.#schedule();
    return building.promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(this.#work);
  }

  readonly #work = (): void => {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    const { now } = this.#options;
    const start = now();
    try {
      while (this.#indexer!.indexes.reindex(STEP_SLOTS)) {
        if (now() - start < SLICE_MS) continue;
        this.#schedule();
        return;
      }
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    this.onChange();
    for (const { resolve } of this.#building) resolve();
    this.#building = [];
  };

  /** There is no room for the new indexes: they go, and what they took comes back. */
  #giveUp(error: unknown): void {
    const failed = this.#building;
    this.#building = [];
    for (const name of this.#indexer!.indexes.unready) this.remove(name);
    for (const { reject } of failed) reject(error);
  }
}
