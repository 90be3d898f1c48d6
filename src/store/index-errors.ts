/** What can be wrong with an index that is added or asked. */

/** There is an index of this name already. */
export class DuplicateIndexError extends Error {
  override readonly name = 'DuplicateIndexError';
  readonly code = 'DUPLICATE_INDEX';
  readonly index: string;

  constructor(index: string) {
    super(`there is an index '${index}' already: give the new one another name, or remove the old one first`);
    this.index = index;
  }
}

/** An index that was added while there were objects does not have all of them yet. */
export class IndexNotReadyError extends Error {
  override readonly name = 'IndexNotReadyError';
  readonly code = 'INDEX_NOT_READY';
  readonly index: string;

  constructor(index: string) {
    super(
      `the index '${index}' does not have all objects yet, so what it says would be incomplete: wait for the promise ` +
        'of addIndexers',
    );
    this.index = index;
  }
}

/** A key that no object can have. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly code = 'KEY';

  constructor(key: unknown) {
    super(
      `${JSON.stringify(key)} is no key of an object: allowed are namespace/name, and name for an object without namespace`,
    );
  }
}

/** @throws KeyError when it is no string, or has no name, or more than one slash */
export function checkKey(key: unknown): void {
  if (typeof key !== 'string' || !isKey(key)) throw new KeyError(key);
}

function isKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash === -1) return key !== '';
  return slash > 0 && slash < key.length - 1 && key.indexOf('/', slash + 1) === -1;
}
