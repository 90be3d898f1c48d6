/** The fields that handlers and indexes of the contenders read, of Pods, ConfigMaps and custom resources alike. */

/** Objects as JSON has them, or as client-node's generated classes do. */
export interface BenchObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly unknown[];
  };
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly unknown[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly unknown[] };
  readonly data?: Readonly<Record<string, string>>;
}

export function keyOf({ metadata }: BenchObject): string {
  const name = metadata?.name ?? '';
  return metadata?.namespace ? `${metadata.namespace}/${name}` : name;
}

export function versionOf({ metadata }: BenchObject): string {
  return metadata?.resourceVersion ?? '';
}

/** What `two-fields` adds up. */
export function twoFieldsOf({ spec, status }: BenchObject): number {
  return (spec?.nodeName?.length ?? 0) + (status?.phase?.length ?? 0);
}

/** What `decode-all` adds up: something of each part. */
export function partsOf({ metadata, spec, status, data }: BenchObject): number {
  return (
    countOf(metadata?.labels) +
    (metadata?.managedFields?.length ?? 0) +
    (spec?.containers?.length ?? 0) +
    (status?.conditions?.length ?? 0) +
    countOf(data)
  );
}

function countOf(map: object | undefined): number {
  return map === undefined ? 0 : Object.keys(map).length;
}

export const APP_LABEL = 'app.kubernetes.io/name';
export const VERSION_LABEL = 'app.kubernetes.io/version';
