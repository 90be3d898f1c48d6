/** The contenders that keep parsed objects: a Map, the same with indexes kept by hand, and client-node's cache. */
import { ListWatch, type V1Pod, type Watch } from '@kubernetes/client-node';
import { type PodSet, pagesOf, podsOfPage, TEN, THOUSAND } from '../../pods/pod-lines.ts';
import type { Case } from './measure.ts';
import {
  asKey,
  type Keys,
  keysOf,
  LOOKUPS,
  NAMESPACE,
  type Pod,
  ROWS,
  sumOfNames,
  TEN_VALUE,
  THOUSAND_VALUE,
} from './rows.ts';

const MAP = 'Map';
const INDEXED = 'Map, indexes by hand';
const CLIENT_NODE = 'client-node';

/** All of them hold the same objects. */
export async function heapCases(set: PodSet): Promise<Case[]> {
  const map = new Map<string, Pod>();
  for (let page = 0; page < pagesOf(set); page++) {
    for (const line of podsOfPage(set, page)) {
      const pod = JSON.parse(line) as Pod & { metadata: { managedFields?: unknown } };
      delete pod.metadata.managedFields;
      map.set(keyOf(pod), pod);
    }
  }
  const indexed = new IndexedMap(map);
  const clientNode = await openClientNode([...map.values()]);
  return [...mapCases(map), ...indexedCases(indexed), ...clientNodeCases(clientNode, map)];
}

function mapCases(map: Map<string, Pod>): Case[] {
  const filter = (accepts: (pod: Pod) => boolean) => {
    const found: Pod[] = [];
    for (const pod of map.values()) if (accepts(pod)) found.push(pod);
    return found;
  };
  return [
    ...lookupCases(MAP, keysOf(map.keys(), asKey), (key) => map.get(key)),
    ...listCases(MAP, filter),
    ...upsertCases(
      MAP,
      map,
      (pod) => map.set(keyOf(pod), pod),
      (pod) => map.delete(keyOf(pod)),
    ),
  ];
}

function indexedCases(indexed: IndexedMap): Case[] {
  const contender = INDEXED;
  const ten = () => sumOfNames(indexed.byTen.get(TEN_VALUE)!);
  const thousand = () => sumOfNames(indexed.byThousand.get(THOUSAND_VALUE)!);
  const both = () => {
    const inNamespace = indexed.byNamespace.get(NAMESPACE)!;
    const found: Pod[] = [];
    for (const pod of indexed.byThousand.get(THOUSAND_VALUE)!) if (inNamespace.has(pod)) found.push(pod);
    return sumOfNames(found);
  };
  const list = () => [...indexed.byNamespace.get(NAMESPACE)!];
  return [
    { row: ROWS.byTen, contender, operations: 1, run: ten },
    { row: ROWS.byThousand, contender, operations: 1, run: thousand },
    {
      row: ROWS.keysByThousand,
      contender,
      operations: 1,
      run: () => indexed.byThousand.get(THOUSAND_VALUE)!.size,
    },
    { row: ROWS.intersection, contender, operations: 1, run: both },
    { row: ROWS.listRefs, contender, operations: 1, run: () => list().length },
    { row: ROWS.listObjects, contender, operations: 1, run: () => sumOfNames(list()) },
    ...upsertCases(
      contender,
      indexed.pods,
      (pod) => indexed.set(pod),
      (pod) => indexed.delete(pod),
    ),
  ];
}

function clientNodeCases({ cache, tell }: ClientNodeCache, map: Map<string, Pod>): Case[] {
  const get = ([namespace, name]: [string, string]) => cache.get(name, namespace) as Pod | undefined;
  const filter = (accepts: (pod: Pod) => boolean) => (cache.list() as unknown as Pod[]).filter(accepts);
  const list = () => cache.list(NAMESPACE) as unknown as Pod[];
  return [
    ...lookupCases(CLIENT_NODE, keysOf(map.keys(), asParts), get),
    ...listCases(CLIENT_NODE, filter).filter(({ row }) => row !== ROWS.listRefs && row !== ROWS.listObjects),
    { row: ROWS.listRefs, contender: CLIENT_NODE, operations: 1, run: () => list().length },
    { row: ROWS.listObjects, contender: CLIENT_NODE, operations: 1, run: () => sumOfNames(list()) },
    ...upsertCases(
      CLIENT_NODE,
      map,
      (pod) => tell('MODIFIED', pod),
      (pod) => tell('DELETED', pod),
    ),
  ];
}

function asParts(key: string): [namespace: string, name: string] {
  return key.split('/') as [string, string];
}

function lookupCases<K>(contender: string, keys: Keys<K>, get: (key: K) => Pod | undefined): Case[] {
  const found = (next: (i: number) => K) => () => {
    let sum = 0;
    for (let i = 0; i < LOOKUPS; i++) sum += get(next(i))?.metadata.name.length ?? 1;
    return sum;
  };
  const phases = () => {
    let sum = 0;
    for (let i = 0; i < LOOKUPS; i++) sum += get(keys.next())!.status.phase.length;
    return sum;
  };
  const operations = LOOKUPS;
  return [
    { row: ROWS.getHot, contender, operations, run: found((i) => keys.hot[i]!) },
    { row: ROWS.getCold, contender, operations, run: found(() => keys.next()) },
    { row: ROWS.getMissing, contender, operations, run: found((i) => keys.missing[i]!) },
    { row: ROWS.readField, contender, operations, run: phases },
  ];
}

function listCases(contender: string, filter: (accepts: (pod: Pod) => boolean) => Pod[]): Case[] {
  const isTen = ({ metadata }: Pod) => metadata.annotations[TEN] === TEN_VALUE;
  const isThousand = ({ metadata }: Pod) => metadata.annotations[THOUSAND] === THOUSAND_VALUE;
  const isInNamespace = ({ metadata }: Pod) => metadata.namespace === NAMESPACE;
  const isBoth = (pod: Pod) => isThousand(pod) && isInNamespace(pod);
  const operations = 1;
  return [
    { row: ROWS.byTen, contender, operations, run: () => sumOfNames(filter(isTen)) },
    { row: ROWS.byThousand, contender, operations, run: () => sumOfNames(filter(isThousand)) },
    { row: ROWS.keysByThousand, contender, operations, run: () => filter(isThousand).length },
    { row: ROWS.intersection, contender, operations, run: () => sumOfNames(filter(isBoth)) },
    { row: ROWS.listRefs, contender, operations, run: () => filter(isInNamespace).length },
    { row: ROWS.listObjects, contender, operations, run: () => sumOfNames(filter(isInNamespace)) },
  ];
}

/** Two states of some objects, put in in turn. They were parsed before: that is not in the figures. */
function upsertCases(
  contender: string,
  map: Map<string, Pod>,
  upsert: (pod: Pod) => void,
  remove: (pod: Pod) => void,
): Case[] {
  const keys = keysOf(map.keys(), asKey);
  const states = ['1', '2'].map((resourceVersion) =>
    keys.hot.map((key) => {
      const pod = map.get(key)!;
      return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
    }),
  );
  let turn = 0;
  const putAll = () => {
    for (const pod of states[turn++ % 2]!) upsert(pod);
    return LOOKUPS;
  };
  const replaceAll = () => {
    for (const pod of states[0]!) {
      remove(pod);
      upsert(pod);
    }
    return LOOKUPS;
  };
  return [
    { row: ROWS.upsert, contender, operations: LOOKUPS, run: putAll },
    { row: ROWS.removeAndAdd, contender, operations: LOOKUPS, run: replaceAll },
  ];
}

/** What a careful user writes: every index follows each change. */
class IndexedMap {
  readonly pods = new Map<string, Pod>();
  readonly byNamespace = new Map<string, Set<Pod>>();
  readonly byTen = new Map<string, Set<Pod>>();
  readonly byThousand = new Map<string, Set<Pod>>();
  readonly byPhase = new Map<string, Set<Pod>>();

  constructor(pods: ReadonlyMap<string, Pod>) {
    for (const pod of pods.values()) this.set(pod);
  }

  set(pod: Pod): void {
    this.delete(pod);
    this.pods.set(keyOf(pod), pod);
    for (const [index, value] of this.#valuesOf(pod)) {
      const set = index.get(value);
      if (set === undefined) index.set(value, new Set([pod]));
      else set.add(pod);
    }
  }

  delete(pod: Pod): void {
    const key = keyOf(pod);
    const old = this.pods.get(key);
    if (old === undefined) return;
    this.pods.delete(key);
    for (const [index, value] of this.#valuesOf(old)) index.get(value)!.delete(old);
  }

  #valuesOf({ metadata, status }: Pod): [Map<string, Set<Pod>>, string][] {
    return [
      [this.byNamespace, metadata.namespace],
      [this.byTen, metadata.annotations[TEN]!],
      [this.byThousand, metadata.annotations[THOUSAND]!],
      [this.byPhase, status.phase],
    ];
  }
}

interface ClientNodeCache {
  readonly cache: ListWatch<V1Pod>;
  /** Hands over an event of the watch. */
  readonly tell: (type: string, pod: Pod) => void;
}

/** client-node's cache, filled by a list and told of changes as by its own watch. */
async function openClientNode(items: Pod[]): Promise<ClientNodeCache> {
  let tell: ClientNodeCache['tell'] = () => {};
  const watch = {
    watch: async (_path: string, _query: object, onEvent: ClientNodeCache['tell']) => {
      tell = onEvent;
      return { abort() {} };
    },
  };
  const list = { metadata: { resourceVersion: '1' }, items: items as unknown as V1Pod[] };
  const cache = new ListWatch<V1Pod>(
    '/api/v1/pods',
    watch as unknown as Watch,
    () => Promise.resolve(list),
    false,
  );
  await cache.start();
  return { cache, tell };
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
