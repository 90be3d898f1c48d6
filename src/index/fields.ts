/** Gives the index functions and columns of an informer their field ids. */
import { MAX_FIELD_IDS } from '../layout/block.ts';
import { FieldPathError } from './field-path-error.ts';
import { parseFieldPath } from './parse.ts';
import { formatFieldPath, type PathStep } from './path-step.ts';

/** Longest name of an index or column: they are in metrics and messages. */
const MAX_NAME_LENGTH = 128;

const NAME = /^[A-Za-z][A-Za-z0-9._:/-]*$/;

/** What a column's values are read as. */
export type ColumnType = 'string' | 'number' | 'boolean';

/** A column: a field path, whose values are read as text, or with a type. */
export type ColumnSpec = string | { readonly path: string; readonly type?: ColumnType };

/** Field paths by name. */
export interface FieldOptions {
  readonly indexers?: Readonly<Record<string, string>>;
  readonly columns?: Readonly<Record<string, ColumnSpec>>;
}

/** A value that the scanner takes out of each object. */
export interface FieldPlan {
  /** 0 to 255, as blocks have it. */
  readonly id: number;
  /** Of the first index or column with this path. */
  readonly name: string;
  readonly steps: readonly PathStep[];
  readonly isIndex: boolean;
  readonly isColumn: boolean;
}

export interface CompiledFields {
  readonly fields: readonly FieldPlan[];
  /** Every index by name; several may share a field. */
  readonly indexes: readonly { readonly name: string; readonly fieldId: number }[];
  /** Every column by name; a column may share the field of an index. */
  readonly columns: readonly CompiledColumn[];
}

export interface CompiledColumn {
  readonly name: string;
  readonly fieldId: number;
  readonly type: ColumnType;
}

/** What is wrong with indexes or columns. */
export type FieldOptionsErrorCode =
  /** A name that can't be one. */
  | 'FIELD_NAME'
  /** An index that is neither a path nor a function, or a column of an unknown type. */
  | 'FIELD_TYPE'
  /** Too many of them. */
  | 'FIELD_LIMIT';

/** Indexes and columns that can't be. */
export class FieldOptionsError extends Error {
  readonly code: FieldOptionsErrorCode;

  constructor(code: FieldOptionsErrorCode, message: string) {
    super(message);
    this.name = 'FieldOptionsError';
    this.code = code;
  }
}

/**
 * Compiles the field paths of an informer. What has the same path has the same field id, so that no value is
 * taken or kept twice.
 *
 * @throws FieldPathError when a path is wrong; the message names the index or column
 * @throws FieldOptionsError when a name is wrong, or there are more different paths than ids
 */
export function compileFields({ indexers = {}, columns = {} }: FieldOptions): CompiledFields {
  const byPath = new Map<string, FieldPlan>();
  const add = (kind: 'indexers' | 'columns', name: string, path: string) => {
    checkFieldName(kind, name);
    const steps = parseNamed(kind, name, path);
    const written = formatFieldPath(steps);
    const known = byPath.get(written) ?? {
      id: byPath.size,
      name,
      steps,
      isIndex: false,
      isColumn: false,
    };
    const field = {
      ...known,
      isIndex: known.isIndex || kind === 'indexers',
      isColumn: known.isColumn || kind === 'columns',
    };
    byPath.set(written, field);
    return { name, fieldId: field.id };
  };
  const compiledIndexes = Object.entries(indexers).map(([name, path]) => add('indexers', name, path));
  const compiledColumns = Object.entries(columns).map(([name, spec]) => {
    const { path, type } = readColumn(name, spec);
    return { ...add('columns', name, path), type };
  });
  if (byPath.size > MAX_FIELD_IDS) {
    const message = `an informer has at most ${MAX_FIELD_IDS} different field paths in indexers and columns, not ${byPath.size}`;
    throw new FieldOptionsError('FIELD_LIMIT', message);
  }
  return { fields: [...byPath.values()], indexes: compiledIndexes, columns: compiledColumns };
}

const COLUMN_TYPES: readonly unknown[] = ['string', 'number', 'boolean'];

function readColumn(name: string, spec: ColumnSpec): { path: string; type: ColumnType } {
  if (typeof spec !== 'object' || spec === null) return { path: spec, type: 'string' };
  const { path, type = 'string' } = spec;
  if (COLUMN_TYPES.includes(type)) return { path, type };
  const message = `columns.${name} has the type ${JSON.stringify(type)}: allowed are 'string', 'number' and 'boolean'`;
  throw new FieldOptionsError('FIELD_TYPE', message);
}

/**
 * @param kind - where the name stands, for the message
 * @throws FieldOptionsError when it can't be the name of an index or column
 */
export function checkFieldName(kind: 'indexers' | 'columns', name: string): void {
  // Names may become properties of plain objects, where those of Object.prototype would lie in ambush.
  if (NAME.test(name) && name.length <= MAX_NAME_LENGTH && !(name in Object.prototype)) return;
  throw new FieldOptionsError(
    'FIELD_NAME',
    `${JSON.stringify(name)} in ${kind} is no name: allowed are 1 to ${MAX_NAME_LENGTH} letters, digits and ._:/- ` +
      'with a letter first, but no name that every object has, such as "constructor"',
  );
}

/** @throws FieldPathError whose message names the index or column */
export function parseNamed(kind: 'indexers' | 'columns', name: string, path: string): readonly PathStep[] {
  try {
    return parseFieldPath(path);
  } catch (cause) {
    if (!(cause instanceof FieldPathError)) throw cause;
    const message = `${kind}.${name}: ${cause.message}`;
    throw new FieldPathError(cause.code, message, cause.path, cause.position, { cause });
  }
}
