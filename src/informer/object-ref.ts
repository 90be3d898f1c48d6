/** A handle to one version of a cached object, of which nothing is decoded until somebody looks. */
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
} from '../store/index.ts';

/** What a handle needs of its informer. */
export interface ObjectContext {
  readonly segments: SegmentTable;
  readonly bodies: Bodies;
  /** Field ids of the columns. */
  readonly columns: ReadonlyMap<string, number>;
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
   * Value of a column (see `InformerOptions.columns`) without decoding the object; undefined when the
   * object has none.
   *
   * @throws RangeError when the informer has no such column
   */
  column(name: string): string | undefined {
    const id = this.#context.columns.get(name);
    if (id === undefined) {
      const known = [...this.#context.columns.keys()].join(', ') || 'none';
      throw new RangeError(`this informer has no column '${name}'; it has: ${known}`);
    }
    return blockField(this.#segment(), fromOffset8(this.#ref.offset8), id);
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
   * The JSON that is kept, as the server sent it without what `project` drops: numbers that a double can't
   * hold are exact here.
   *
   * @throws ReleasedObjectError when the handle was kept for too long
   */
  get json(): string {
    return this.#context.bodies.text(this.#ref);
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
