/** The same steps for client-node's informers and for ours: what callbacks were told is written down and compared. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubernetesObject, V1ConfigMap } from '@kubernetes/client-node';
import * as clientNode from '@kubernetes/client-node';
import * as kubering from '../../src/compat/index.ts';
import { FakeApiServer, type FakeApiServerOptions } from '../../src/testing/index.ts';
import { until } from '../e2e/until.ts';

/** What both libraries have. */
type Library = Pick<typeof clientNode, 'ListWatch' | 'makeInformer' | 'Watch' | 'CoreV1Api'>;

type LibraryName = 'client-node' | 'kubering';

const LIBRARIES: Readonly<Record<LibraryName, Library>> = {
  'client-node': clientNode,
  kubering: kubering as unknown as Library,
};

export const CONFIG_MAPS = '/api/v1/configmaps';

interface OpenOptions {
  readonly path?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What errors of either library have. */
interface Failure {
  readonly name: string;
  readonly statusCode?: number;
  readonly code?: number | string;
}

/** One run of a scenario with one of the libraries. */
export class Run {
  readonly library: Library;
  readonly server: FakeApiServer;
  readonly name: LibraryName;
  /** `add default/a@1001`, `error 503`, and what the scenario writes itself. */
  readonly log: string[] = [];
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(name: LibraryName, server: FakeApiServer) {
    this.name = name;
    this.library = LIBRARIES[name];
    this.server = server;
  }

  /** An informer that was not started, whose list and watch have the same selectors. */
  open(options: OpenOptions = {}): clientNode.ListWatch<V1ConfigMap> {
    const { path = CONFIG_MAPS, labelSelector, fieldSelector } = options;
    const kubeConfig = this.server.kubeConfig();
    const api = kubeConfig.makeApiClient(this.library.CoreV1Api);
    const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
    const namespace = /namespaces\/([^/]+)/.exec(path)?.[1];
    const listFn = () =>
      namespace === undefined
        ? api.listConfigMapForAllNamespaces(selectors)
        : api.listNamespacedConfigMap({ namespace, ...selectors });
    const watch = new this.library.Watch(kubeConfig);
    // client-node waits for seconds before it connects again; what is told does not depend on that.
    const noDelay = { delayFn: async () => {} };
    const informer = new this.library.ListWatch<V1ConfigMap>(
      path,
      watch,
      listFn,
      false,
      labelSelector,
      fieldSelector,
      noDelay,
    );
    this.#stops.push(() => informer.stop());
    return informer;
  }

  /** An informer that writes down objects and errors. */
  follow(options: OpenOptions = {}): clientNode.ListWatch<V1ConfigMap> {
    const informer = this.open(options);
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => this.log.push(`${verb} ${nameOf(object)}`));
    }
    this.onError(informer, (error) => this.log.push(`error ${error.statusCode ?? error.code ?? error.name}`));
    return informer;
  }

  /** client-node calls `error` for its own `stop()`: that is left out. */
  onError(informer: clientNode.Informer<V1ConfigMap>, callback: (error: Failure) => void): void {
    informer.on('error', (error: Failure) => {
      if (error.name !== 'AbortError') callback(error);
    });
  }

  create(name: string, namespace = 'default', labels?: Record<string, string>): void {
    this.server.create('configmaps', { metadata: { name, namespace, ...(labels && { labels }) } });
  }

  update(name: string, namespace = 'default'): void {
    const value = String(this.server.resourceVersion);
    this.server.patch('configmaps', `${namespace}/${name}`, { data: { value } });
  }

  delete(name: string, namespace = 'default'): void {
    this.server.delete('configmaps', `${namespace}/${name}`);
  }

  /** Waits until so much was written down. */
  told(count: number): Promise<void> {
    return until(`${this.name} told ${count} things, not [${this.log}]`, () => this.log.length >= count);
  }

  watchIsOpen(): Promise<void> {
    return until(`${this.name} has an open watch`, () => this.server.stats.openWatches === 1);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.server.stop();
  }
}

export interface ScenarioOptions {
  readonly server?: FakeApiServerOptions;
}

/** Runs the steps with one library, on a server of its own, and gives what was written down. */
async function logOf(
  name: LibraryName,
  options: ScenarioOptions,
  steps: (run: Run) => Promise<void>,
): Promise<string[]> {
  const run = new Run(name, await FakeApiServer.start({ seed: 7, ...options.server }));
  try {
    await steps(run);
    return [...run.log];
  } finally {
    await run.close();
  }
}

/** A behaviour that both libraries have: both write down what is expected. */
export function same(
  name: string,
  expected: readonly string[],
  steps: (run: Run) => Promise<void>,
  options: ScenarioOptions = {},
): void {
  it(name, async () => {
    assert.deepEqual(await logOf('client-node', options, steps), expected, 'client-node');
    assert.deepEqual(await logOf('kubering', options, steps), expected, 'kubering');
  });
}

/** A behaviour that is different on purpose: `docs/migrating-from-client-node.md` names it. */
export function different(
  name: string,
  expected: Readonly<Record<LibraryName, readonly string[]>>,
  steps: (run: Run) => Promise<void>,
  options: ScenarioOptions = {},
): void {
  it(name, async () => {
    for (const library of ['client-node', 'kubering'] as const) {
      assert.deepEqual(await logOf(library, options, steps), expected[library], library);
    }
  });
}

export function nameOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace}/${metadata?.name}@${metadata?.resourceVersion}`;
}
