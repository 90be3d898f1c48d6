/** Indexes and columns that are fields of blocks. */
import { MAX_FIELD_IDS } from '../layout/block.ts';

/** An index or a column, and the field of the blocks that has its values. */
export interface NamedField {
  readonly name: string;
  readonly fieldId: number;
}

/** A read names an index or column that the informer was not made with. */
export class UnknownFieldError extends Error {
  readonly code = 'UNKNOWN_FIELD';

  constructor(kind: 'index' | 'column', name: string, known: readonly string[]) {
    const hint = known.length === 0 ? 'it has none' : `it has ${known.map((one) => `'${one}'`).join(', ')}`;
    super(`the informer has no ${kind} '${name}'; ${hint}`);
    this.name = 'UnknownFieldError';
  }
}

/** @throws RangeError when a field id is not one */
export function checkFieldId({ name, fieldId }: NamedField): void {
  if (Number.isInteger(fieldId) && fieldId >= 0 && fieldId < MAX_FIELD_IDS) return;
  throw new RangeError(`field id ${fieldId} of '${name}' is not an integer from 0 to ${MAX_FIELD_IDS - 1}`);
}
