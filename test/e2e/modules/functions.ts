/** Functions that the worker of a test imports. */
interface Thing {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

/** Keeps a part, and lies about everything else. */
export function transform(object: Thing): unknown {
  const { v } = object.data ?? {};
  if (v === 'throw') throw new Error(`can't bear ${v} s3cret`);
  if (v === 'nothing') return undefined;
  if (v === 'promise') return Promise.resolve(object);
  const { labels } = object.metadata;
  const metadata = { name: 'liar', namespace: 'liars', uid: 'liar', resourceVersion: '1', labels };
  return { kind: 'Liar', apiVersion: 'liar/v1', metadata, value: v, calls: ++calls };
}

let calls = 0;

export default function byValue({ data }: Thing): string[] {
  if (data?.v === 'throw') throw new TypeError('s3cret');
  return data?.v === undefined ? [] : [data.v, 'é', data.v];
}

/** Changes what it gets, which must not be seen in the cache. */
export function rude(object: { data?: object }): string {
  object.data = { v: 'rude' };
  return 'all';
}

export const notAFunction = 1;
