/** What is wrong with a field path. */
export type FieldPathErrorCode =
  /** It is not a string. */
  | 'FIELD_PATH_TYPE'
  /** It does not follow the grammar. */
  | 'FIELD_PATH_SYNTAX'
  /** It is longer than a limit allows. */
  | 'FIELD_PATH_LIMIT'
  /** It leads to something that can't be dropped. */
  | 'FIELD_PATH_DROP'
  /** It leads to something that can't be kept alone. */
  | 'FIELD_PATH_KEEP'
  /** It leads to something that the projection left out. */
  | 'FIELD_PATH_PROJECTED';

/** A field path that can't be used. The message says where it is wrong and what is allowed there. */
export class FieldPathError extends Error {
  readonly code: FieldPathErrorCode;
  /** The path as it was given. */
  readonly path: string;
  /** Character of the path where it is wrong, counted from 0; 0 when all of it is. */
  readonly position: number;

  constructor(code: FieldPathErrorCode, message: string, path: string, position = 0, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FieldPathError';
    this.code = code;
    this.path = path;
    this.position = position;
  }
}
