import type { KubeConfig } from '@kubernetes/client-node';
import type { ChurnOptions, ChurnResult } from './churn.ts';
import type { Digest, ObjectState } from './digest.ts';
import type { Fault } from './faults.ts';
import { authorityOf, kubeConfigFor, kubeConfigYamlFor } from './kube-config.ts';
import type { ChildOptions, RemoteServerOptions } from './options.ts';
import type { PodOptions } from './pods.ts';
import { type Child, startChild } from './remote-child.ts';
import type { LoggedRequest } from './request-log.ts';
import { type ResourceName, ResourceRegistry } from './resources.ts';
import type { GenerateOptions } from './seed.ts';
import type { KubernetesObject } from './server.ts';
import { fetchAll, fetchPages, type SnapshotPage } from './snapshot.ts';
import type { ServerStats } from './stats.ts';

/** Options of a server in another process or thread. */
export interface SpawnOptions extends ChildOptions {
  /** Default `process`. */
  in?: 'process' | 'worker';
}

/** What the server's process has used. In a worker, memory other than the heap is that of the whole process. */
export interface RemoteUsage {
  cpu: NodeJS.CpuUsage;
  memory: NodeJS.MemoryUsage;
}

/** A churn as it can be sent to another process. */
export type RemoteChurnOptions = Omit<ChurnOptions, 'signal'>;

/** Objects to generate, as they can be sent to another process. */
export type RemoteGenerateOptions = Omit<GenerateOptions, 'make'>;

/**
 * The remote control of a {@link FakeApiServer} in another process or thread. Methods do what those of the
 * server do. It keeps this process alive only while a call is under way.
 */
export class RemoteFakeApiServer {
  readonly url: string;
  readonly port: number;
  /** Switches failures on and off. */
  readonly faults: {
    add(fault: Fault): Promise<number>;
    remove(id: number): Promise<void>;
    clear(): Promise<void>;
    hits(id: number): Promise<number>;
  };
  readonly #child: Child;
  readonly #registry: ResourceRegistry;
  readonly #ca: string | undefined;
  #tokens: readonly string[] | undefined;

  /** @internal */
  constructor(child: Child, options: RemoteServerOptions) {
    this.#child = child;
    this.url = child.url;
    this.port = child.port;
    this.#registry = new ResourceRegistry(options.resources ?? []);
    this.#ca = authorityOf(options.tls ?? false);
    this.#tokens = options.tokens;
    this.faults = {
      add: (fault) => child.call('addFault', fault),
      remove: (id) => child.call('removeFault', id),
      clear: () => child.call('clearFaults'),
      hits: (id) => child.call('faultHits', id),
    };
  }

  /** A `KubeConfig` of `@kubernetes/client-node` whose current context is the server. */
  kubeConfig(): KubeConfig {
    return kubeConfigFor({ url: this.url, ca: this.#ca, token: this.#tokens?.[0] });
  }

  /** The text of a kubeconfig file for the server. */
  kubeConfigYaml(): string {
    return kubeConfigYamlFor({ url: this.url, ca: this.#ca, token: this.#tokens?.[0] });
  }

  create(resource: ResourceName, object: object): Promise<KubernetesObject> {
    return this.#child.call('create', resource, object);
  }

  update(resource: ResourceName, object: object): Promise<KubernetesObject> {
    return this.#child.call('update', resource, object);
  }

  patch(resource: ResourceName, key: string, patch: object): Promise<KubernetesObject> {
    return this.#child.call('patch', resource, key, patch);
  }

  delete(resource: ResourceName, key: string): Promise<void> {
    return this.#child.call('delete', resource, key);
  }

  get(resource: ResourceName, key: string): Promise<KubernetesObject | undefined> {
    return this.#child.call('get', resource, key);
  }

  states(resource: ResourceName): Promise<ObjectState[]> {
    return this.#child.call('states', resource);
  }

  digest(resource: ResourceName): Promise<Digest> {
    return this.#child.call('digest', resource);
  }

  count(resource: ResourceName): Promise<number> {
    return this.#child.call('count', resource);
  }

  seedPods(count: number, options?: PodOptions): Promise<number> {
    return this.#child.call('seedPods', count, options);
  }

  generate(options: RemoteGenerateOptions): Promise<number> {
    return this.#child.call('generate', options);
  }

  churn(options: RemoteChurnOptions): Promise<ChurnResult> {
    return this.#child.call('churn', options);
  }

  closeWatches(): Promise<number> {
    return this.#child.call('closeWatches');
  }

  silenceWatches(): Promise<number> {
    return this.#child.call('silenceWatches');
  }

  dropConnections(how: 'cut' | 'reset' = 'cut'): Promise<number> {
    return this.#child.call('dropConnections', how);
  }

  compact(): Promise<void> {
    return this.#child.call('compact');
  }

  skipTo(resourceVersion: number): Promise<void> {
    return this.#child.call('skipTo', resourceVersion);
  }

  acceptTokens(tokens: readonly string[] | undefined): Promise<void> {
    this.#tokens = tokens;
    return this.#child.call('acceptTokens', tokens);
  }

  resourceVersion(): Promise<string> {
    return this.#child.call('resourceVersion');
  }

  requests(): Promise<LoggedRequest[]> {
    return this.#child.call('requests');
  }

  stats(): Promise<ServerStats> {
    return this.#child.call('stats');
  }

  /** CPU and memory that the server has used. */
  usage(): Promise<RemoteUsage> {
    return this.#child.call('usage');
  }

  /**
   * All objects of a resource at one resourceVersion, with kind and apiVersion. They are listed over HTTP in
   * pages: 50,000 Pods are too much for one message between processes.
   */
  async snapshot(resource: ResourceName): Promise<{ resourceVersion: string; items: KubernetesObject[] }> {
    const found = this.#registry.named(resource);
    return await fetchAll({ url: this.url, ca: this.#ca, token: this.#tokens?.[0] }, found);
  }

  /** As {@link snapshot}, page by page: 50,000 parsed Pods are a gigabyte of heap. */
  pages(resource: ResourceName): AsyncGenerator<SnapshotPage> {
    return fetchPages(
      { url: this.url, ca: this.#ca, token: this.#tokens?.[0] },
      this.#registry.named(resource),
    );
  }

  /** All objects of a resource, in order of their keys. */
  async list(resource: ResourceName): Promise<KubernetesObject[]> {
    return (await this.snapshot(resource)).items;
  }

  /** Stops the server and waits until its process or thread has ended. */
  stop(): Promise<void> {
    return this.#child.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Starts a server somewhere else. */
export async function spawnServer(options: SpawnOptions): Promise<RemoteFakeApiServer> {
  const { in: place = 'process', ...serverOptions } = options;
  const child = await startChild(place, serverOptions);
  return new RemoteFakeApiServer(child, serverOptions);
}
