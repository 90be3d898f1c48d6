/** A body that its server sent is not JSON after all. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly code = 'KUBERING_DECODE';
  /** `namespace/name` of the object. */
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(
      `the body of ${key} can't be decoded: it is not valid JSON. Its key, indexes and columns can still be ` +
        'read; the next change of the object replaces it',
      { cause },
    );
    this.key = key;
  }
}

/** Somebody kept an event or a ref for longer than its body lives. */
export class ReleasedObjectError extends Error {
  override readonly name = 'ReleasedObjectError';
  readonly code = 'KUBERING_RELEASED';

  constructor() {
    super(
      'this version of the object was replaced, and its memory was given back. Read `object` before the ' +
        'handler returns or its promise settles, or call `retain()` there; from a lister, ask again',
    );
  }
}
