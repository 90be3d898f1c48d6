/** An object as it travels: plain JSON. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ApiObjectMeta;
}

/** The metadata that this library reads; others are kept. */
export interface ApiObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** A string; client-node's types say Date, and then it is one. */
  readonly deletionTimestamp?: string | Date;
  readonly finalizers?: readonly string[];
}

/** Names one object of a resource. */
export interface ObjectName {
  /** Absent or empty for objects that are in no namespace. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** @throws TypeError when the object has no name */
export function nameOf({ kind = 'object', metadata }: ApiObject): ObjectName {
  if (!metadata?.name) throw new TypeError(`the ${kind} has no metadata.name: give it one`);
  return { namespace: metadata.namespace, name: metadata.name };
}

/**
 * A name as a segment of a path.
 *
 * @throws TypeError when no object can have this name, so that no name leads to another path
 */
export function objectSegment(name: string): string {
  if (typeof name !== 'string' || name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new TypeError(
      `${JSON.stringify(name)} can't be the name of an object: names are not empty, '.' or '..' and have no '/' or '%'`,
    );
  }
  return encodeURIComponent(name);
}
