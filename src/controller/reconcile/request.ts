/** Names what has to be reconciled. */
export interface ReconcileRequest {
  /** `namespace/name`, or `name` for an object without a namespace. */
  readonly key: string;
  /** '' for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

export function requestOf(key: string): ReconcileRequest {
  const slash = key.indexOf('/');
  return { key, namespace: slash === -1 ? '' : key.slice(0, slash), name: key.slice(slash + 1) };
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}
