/** A handle to one version of a cached object, of which nothing is decoded until somebody looks. */
import { bytePathOf } from '../index/index.ts';
import {
  type BlockRef,
  type Bodies,
  blockField,
  blockKey,
  blockName,
  blockNamespace,
  blockResourceVersion,
  blockStamp,
  blockUid,
  fromOffset8,
  ReleasedObjectError,
  type Segment,
  type SegmentTable,
  UnknownFieldError,
} from '../store/index.ts';
import { type Column, type ColumnValue, columnValue } from './column.ts';

/** What a handle needs of its informer. */
export interface ObjectContext {
  readonly segments: SegmentTable;
  readonly bodies: Bodies;
  /** By name. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Name of an index over this path (in its written form) that has all objects. */
  readonly indexOfPath: (path: string) => string | undefined;
}

/**
 * One version of an object. While that version is current, or an event of it is being handled, everything
 * can be read. Later, what was decoded stays; a first touch gives the same version or throws
 * `ReleasedObjectError`, never other bytes.
 */
export class ObjectRef<T = object> {
  readonly #context: ObjectContext;
  readonly #ref: BlockRef;
  #key: string | undefined;
  #object: T | undefined;

  /** @internal */
  constructor(context: ObjectContext, ref: BlockRef) {
    this.#context = context;
    this.#ref = ref;
  }

  /** `namespace/name`, or `name` for an object without a namespace. */
  get key(): string {
    this.#key ??= blockKey(this.#segment(), fromOffset8(this.#ref.offset8));
    return this.#key;
  }

  /** '' for an object without a namespace. */
  get namespace(): string {
    return blockNamespace(this.#segment(), fromOffset8(this.#ref.offset8));
  }

  get name(): string {
    return blockName(this.#segment(), fromOffset8(this.#ref.offset8));
  }

  get uid(): string {
    return blockUid(this.#segment(), fromOffset8(this.#ref.offset8));
  }

  /** In the event of a delete that was watched: the version of the deletion. */
  get resourceVersion(): string {
    return blockResourceVersion(this.#segment(), fromOffset8(this.#ref.offset8));
  }

  /**
   * Value of a column (see `InformerOptions.columns`) without decoding the object, of the type that the column was given;
   * undefined when the object has none of that type. Integers of string columns are exact, however long.
   *
   * @throws UnknownFieldError when the informer has no such column
   */
  column<V extends ColumnValue = string>(name: string): V | undefined {
    const { columns } = this.#context;
    const column = columns.get(name);
    if (column === undefined) throw new UnknownFieldError('column', name, [...columns.keys()]);
    const text = blockField(this.#segment(), fromOffset8(this.#ref.offset8), column.fieldId);
    return text === undefined ? undefined : (columnValue(text, column.type) as V | undefined);
  }

  /**
   * The object, decoded on first touch and shared with everyone who looks at this version: read-only.
   *
   * @throws DecodeError when its body is not valid
   * @throws ReleasedObjectError when the handle was kept for too long
   */
  get object(): T {
    this.#object ??= this.#context.bodies.decode(this.#ref) as T;
    return this.#object;
  }

  /**
   * The JSON that is kept, as the server sent it without what `project` drops, or of what `transform` gave: numbers that a
   * double can't hold are exact here. Of a MessagePack body it is made anew.
   *
   * @throws ReleasedObjectError when the handle was kept for too long
   */
  get json(): string {
    return this.#context.bodies.text(this.#ref);
  }

  /**
   * The value at a field path, for example `ref.at('spec.containers')`: only its bytes are decoded, not the object (a
   * MessagePack body is decoded as a whole). It is yours: nobody shares it. Of a path with `[*]`, a filter or `keys(…)`, a list of all values.
   *
   * @returns undefined when the object has nothing there
   * @throws FieldPathError when it is no field path
   * @throws DecodeError when the body is not valid there
   * @throws ReleasedObjectError when the handle was kept for too long
   */
  at<V = unknown>(path: string): V | undefined {
    const compiled = bytePathOf(path);
    const values = this.#context.bodies.valuesAt(this.#ref, compiled);
    return (compiled.isSingle ? values[0] : values) as V | undefined;
  }

  /**
   * The JSON of what {@link at} gives, as the server wrote it: `BigInt(ref.jsonAt('spec.big')!)` is exact. Throws as it does.
   */
  jsonAt(path: string): string | undefined {
    const compiled = bytePathOf(path);
    const texts = this.#context.bodies.textsAt(this.#ref, compiled);
    return compiled.isSingle ? texts[0] : `[${texts.join(',')}]`;
  }

  /** Decodes now, so that key and object can be read for as long as you like. */
  retain(): this {
    void this.key;
    void this.object;
    return this;
  }

  /** Where this version lies. @internal */
  get block(): BlockRef {
    return this.#ref;
  }

  #segment(): Segment {
    const segment = this.#context.segments.find(this.#ref.segment);
    if (segment === undefined || blockStamp(segment, fromOffset8(this.#ref.offset8)) !== this.#ref.stamp) {
      throw new ReleasedObjectError();
    }
    return segment;
  }
}
