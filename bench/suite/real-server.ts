/**
 * A real kube-apiserver with Pods in it, started by the harness of the conformance tests, which builds it through Go.
 * It takes minutes to fill, and lists don't change it: one serves all samples of a size.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms } from '../../test/conformance/harness/build.ts';
import { Cluster } from '../../test/conformance/harness/cluster.ts';
import { ADMIN } from '../../test/conformance/harness/cluster-access.ts';
import { Connection } from '../../test/conformance/harness/connection.ts';
import { inParallel } from '../../test/conformance/suite/in-parallel.ts';
import { hashOfObject, PAGE_OBJECTS, resourceOf, Texts, type Truth } from '../server/index.ts';
import type { Task } from './scenarios.ts';
import type { ServerUnderTest } from './server-under-test.ts';

type Say = (line: string) => void;

interface Pod {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
}

interface PodList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Pod[];
}

const PODS = resourceOf('pod');
const PODS_PATH = '/api/v1/pods';

/** Runs at most one cluster at a time. */
export class RealServer {
  readonly #say: Say;
  #task: Task | undefined;
  #cluster: Cluster | undefined;
  #folder: string | undefined;

  constructor(say: Say) {
    this.#say = say;
  }

  /** The server of a sample; to stop it changes nothing. */
  async open(task: Task): Promise<ServerUnderTest> {
    if (this.#task?.objects !== task.objects) await this.#start(task);
    const { access } = this.#cluster!;
    const api = new Connection({ url: access.url, ca: access.ca, token: ADMIN.token });
    const notHere = async (): Promise<never> => {
      throw new Error('a real API server is only listed from');
    };
    return {
      url: access.url,
      token: ADMIN.token,
      caFile: join(this.#folder!, 'ca.pem'),
      resources: [PODS],
      truth: () => truthOf(api),
      usage: async () => ({ openWatches: 0, cpuMs: await cpuMs(api) }),
      churn: notHere,
      expire: notHere,
      writeSendTimes: notHere,
      stop: () => api.close(),
    };
  }

  async stop(): Promise<void> {
    await this.#cluster?.stop();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#cluster = undefined;
    this.#task = undefined;
  }

  async #start(task: Task): Promise<void> {
    await this.stop();
    const programs = await buildPrograms({ say: this.#say, signal: new AbortController().signal });
    this.#cluster = await Cluster.start(programs, [ADMIN]);
    const { access } = this.#cluster;
    this.#folder = mkdtempSync(join(tmpdir(), 'kubering-bench-ca-'));
    writeFileSync(join(this.#folder, 'ca.pem'), access.ca);
    const api = new Connection({ url: access.url, ca: access.ca, token: ADMIN.token });
    try {
      this.#say(`writing ${task.objects} Pods to kube-apiserver, which takes minutes`);
      await fill(api, task);
    } finally {
      await api.close();
    }
    this.#task = task;
  }
}

/** Pods as a controller creates them, then their status as a kubelet writes it: the server makes the managedFields. */
async function fill(api: Connection, { objects, seed }: Task): Promise<void> {
  const texts = new Texts({ kind: 'pod', resource: PODS, seed });
  const known = new Set<string>(['default']);
  for (let first = 0; first < objects; first += PAGE_OBJECTS) {
    const page = texts.page(first / PAGE_OBJECTS, Math.min(PAGE_OBJECTS, objects - first));
    for (const { namespace } of page) {
      if (known.has(namespace)) continue;
      known.add(namespace);
      await api.create('/api/v1/namespaces', { metadata: { name: namespace } });
    }
    await inParallel(page, async ({ head, tail }) => {
      const { metadata, spec, status } = JSON.parse(`${head}0${tail}`);
      const { name, namespace, labels, annotations, ownerReferences } = metadata;
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const pod = { metadata: { name, namespace, labels, annotations, ownerReferences }, spec };
      await api.create(`${path}?fieldManager=kube-controller-manager`, pod);
      await api.patch(`${path}/${name}/status?fieldManager=kubelet`, { status });
    });
  }
}

async function truthOf(api: Connection): Promise<Pick<Truth, 'objects' | 'hash'>> {
  let objects = 0;
  let hash = 0;
  let next: string | undefined = '';
  while (next !== undefined) {
    const list = (await api.get(
      `${PODS_PATH}?limit=${PAGE_OBJECTS}&continue=${encodeURIComponent(next)}`,
    )) as PodList;
    for (const { metadata } of list.items) {
      hash += hashOfObject(metadata.namespace, metadata.name, metadata.resourceVersion);
    }
    objects += list.items.length;
    next = list.metadata.continue || undefined;
  }
  return { objects, hash: String(hash) };
}

/** As the API server itself tells it. */
async function cpuMs(api: Connection): Promise<number> {
  const { text } = await api.send('GET', '/metrics');
  const seconds = /^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1];
  return Number(seconds ?? 0) * 1000;
}
