/** Columns: fields that are read without decoding the object. */
import type { ColumnType } from '../index/index.ts';

export interface Column {
  readonly fieldId: number;
  readonly type: ColumnType;
}

/** What a column may give. */
export type ColumnValue = string | number | boolean;

/** Numbers as JSON writes them, and as JavaScript prints them. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** The value of a column from its text; undefined when the text is none of its type. */
export function columnValue(text: string, type: ColumnType): ColumnValue | undefined {
  if (type === 'number') return NUMBER.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return text;
}
