import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { type ChurnOptions, type ChurnResult, churn } from './churn.ts';
import type { HandlerContext } from './context.ts';
import { type Digest, digestOf, type ObjectState, statesOf } from './digest.ts';
import { Faults } from './faults.ts';
import { handleRequest } from './handler.ts';
import { makeHttpServer } from './http-server.ts';
import type { JsonObject } from './json.ts';
import { authorityOf, kubeConfigFor, kubeConfigYamlFor } from './kube-config.ts';
import {
  behaviourOf,
  DEFAULT_HISTORY_EVENTS,
  DEFAULT_REQUEST_LOG_LIMIT,
  DEFAULT_RESOURCE_VERSION,
  DEFAULT_SEED,
  type FakeApiServerOptions,
} from './options.ts';
import { mergePatch } from './patch.ts';
import type { PodOptions } from './pods.ts';
import { Random } from './random.ts';
import { type RemoteFakeApiServer, type SpawnOptions, spawnServer } from './remote.ts';
import { type LoggedRequest, RequestLog } from './request-log.ts';
import type { ResourceName } from './resources.ts';
import { type GenerateOptions, generateObjects, makePlainObject, PodSeeder } from './seed.ts';
import { Sockets } from './sockets.ts';
import { newStats, type ServerStats } from './stats.ts';
import { Store } from './store.ts';
import { parseObject } from './stored-object.ts';
import { createObject, deleteObject, patchObject, replaceObject, type WriteTarget } from './writes.ts';

/** An object as the server's methods take and give it: plain JSON. */
export type KubernetesObject = JsonObject;

/**
 * A Kubernetes API server for tests: it speaks the API's list, watch and writes over real HTTP, keeps its
 * objects in memory, and fails on request.
 *
 * ```ts
 * const server = await FakeApiServer.start();
 * server.create('pods', { metadata: { name: 'web-0', namespace: 'default' } });
 * const informer = makeInformer(server.kubeConfig(), '/api/v1/pods', …);
 * server.faults.add({ fault: 'reset', on: 'watch', afterItems: 3, times: 1 });
 * await server.stop();
 * ```
 */
export class FakeApiServer {
  /** Switches failures on and off. */
  readonly faults: Faults;
  /** `http://127.0.0.1:PORT` or `https://…`. */
  readonly url: string;
  readonly port: number;
  readonly #http: Server;
  readonly #sockets: Sockets;
  readonly #context: HandlerContext;
  readonly #ca: string | undefined;
  readonly #pods: PodSeeder;

  private constructor(http: Server, sockets: Sockets, context: HandlerContext, ca: string | undefined) {
    this.#http = http;
    this.#sockets = sockets;
    this.#context = context;
    this.#ca = ca;
    this.#pods = new PodSeeder(context.store);
    this.faults = context.faults;
    this.port = (http.address() as AddressInfo).port;
    this.url = `${this.#ca === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Starts a server in this process, on the loopback interface only. */
  static async start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const sockets = new Sockets();
    const context = makeContext(options, sockets);
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      void handleRequest(context, request, response);
    };
    const http = makeHttpServer(options, listener);
    sockets.follow(http);
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return new FakeApiServer(http, sockets, context, authorityOf(options.tls ?? false));
  }

  /**
   * Starts a server in a process or worker thread of its own, so that it takes no time from the code under
   * test. Its methods are the same, but asynchronous. It ends when this process does.
   */
  static spawn(options: SpawnOptions = {}): Promise<RemoteFakeApiServer> {
    return spawnServer(options);
  }

  /** The resourceVersion of the latest write. */
  get resourceVersion(): string {
    return String(this.#context.store.resourceVersion);
  }

  /** The latest requests, oldest first. */
  get requests(): LoggedRequest[] {
    return this.#context.log.entries();
  }

  /** Counts since the start, and what is open now. */
  get stats(): Readonly<ServerStats> {
    return { ...this.#context.stats, openSockets: this.#sockets.size, connections: this.#sockets.accepted };
  }

  /** A `KubeConfig` of `@kubernetes/client-node` whose current context is this server. */
  kubeConfig(): KubeConfig {
    return kubeConfigFor(this.#endpoint());
  }

  /** The text of a kubeconfig file for this server. */
  kubeConfigYaml(): string {
    return kubeConfigYamlFor(this.#endpoint());
  }

  /** Lets only these bearer tokens in from now on; `undefined` lets everybody in. */
  acceptTokens(tokens: readonly string[] | undefined): void {
    this.#context.tokens = tokens;
  }

  /**
   * Creates an object, status included. The namespace is that of its metadata, or `default`.
   *
   * @returns it as the server stored it
   * @throws ApiStatusError when it exists
   */
  create(resource: ResourceName, object: object): KubernetesObject {
    const input = object as JsonObject;
    const target = this.#target(resource, metadataField(input, 'namespace') ?? 'default', '');
    return parseObject(createObject(target, input), target.collection.resource);
  }

  /**
   * Replaces an object, status included.
   *
   * @throws ApiStatusError when it does not exist, or has another resourceVersion than the one given
   */
  update(resource: ResourceName, object: object): KubernetesObject {
    const input = object as JsonObject;
    const namespace = metadataField(input, 'namespace') ?? 'default';
    const target = this.#target(resource, namespace, metadataField(input, 'name') ?? '');
    return parseObject(replaceObject(target, input), target.collection.resource);
  }

  /** Changes an object by a merge patch: null removes a field. */
  patch(resource: ResourceName, key: string, patch: object): KubernetesObject {
    const target = this.#keyTarget(resource, key);
    const patched = patchObject(target, (current) => mergePatch(current, patch));
    return parseObject(patched, target.collection.resource);
  }

  /**
   * Deletes an object, or marks it as deleted when it has finalizers.
   *
   * @param key - `namespace/name`, or the name alone for cluster-scoped resources
   */
  delete(resource: ResourceName, key: string): void {
    deleteObject(this.#keyTarget(resource, key), {});
  }

  /** The object with this key, or undefined. */
  get(resource: ResourceName, key: string): KubernetesObject | undefined {
    const collection = this.#context.store.named(resource);
    const object = collection.get(key);
    return object === undefined ? undefined : parseObject(object, collection.resource);
  }

  /** All objects of a resource, in order of their keys. */
  list(resource: ResourceName): KubernetesObject[] {
    const collection = this.#context.store.named(resource);
    return collection.sorted().map((object) => parseObject(object, collection.resource));
  }

  /** Key, uid and resourceVersion of all objects, in order of their keys. */
  states(resource: ResourceName): ObjectState[] {
    return statesOf(this.#context.store.named(resource));
  }

  /** All objects in one short text, to compare a cache with; see {@link digestOf}. */
  digest(resource: ResourceName): Digest {
    return digestOf(this.states(resource), this.resourceVersion);
  }

  /** How many objects of a resource there are. */
  count(resource: ResourceName): number {
    return this.#context.store.named(resource).size;
  }

  /** Creates realistic Pods: same seed, same Pods. @returns how many there are now */
  seedPods(count: number, options?: PodOptions): Promise<number> {
    return this.#pods.seed(count, options);
  }

  /** Creates many objects of any resource. @returns how many there are now */
  generate(options: GenerateOptions): Promise<number> {
    return generateObjects(this.#context.store, options);
  }

  /** Writes at a steady rate for a while. */
  churn(options: ChurnOptions): Promise<ChurnResult> {
    const { store } = this.#context;
    const resource = options.resource ?? 'pods';
    const isPods = store.named(resource) === store.named('pods');
    return churn(
      store,
      (random) => (isPods ? this.#pods.makeOne(random) : makePlainObject(store, resource, random)),
      options,
    );
  }

  /** Ends all watches cleanly, as a server does that restarts. @returns how many there were */
  closeWatches(): number {
    const watches = [...this.#context.watches];
    for (const watch of watches) watch.end();
    return watches.length;
  }

  /** All open watches fall silent: their connections stay, and nothing comes any more. @returns how many */
  silenceWatches(): number {
    const watches = [...this.#context.watches];
    for (const watch of watches) watch.silence();
    return watches.length;
  }

  /** Closes all connections at once, as a crash does; `reset` sends RST. @returns how many there were */
  dropConnections(how: 'cut' | 'reset' = 'cut'): number {
    return this.#sockets.breakAll(how);
  }

  /** Forgets the history: watches from older resourceVersions and older continue tokens get 410. */
  compact(): void {
    this.#context.store.compact();
  }

  /** Moves the resourceVersion on, as writes to other resources would. */
  skipTo(resourceVersion: number): void {
    this.#context.store.skipTo(resourceVersion);
  }

  /** Closes all connections and stops listening. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#sockets.breakAll('cut');
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #endpoint() {
    return { url: this.url, ca: this.#ca, token: this.#context.tokens?.[0] };
  }

  #keyTarget(resource: ResourceName, key: string): WriteTarget {
    const slash = key.indexOf('/');
    return this.#target(resource, slash === -1 ? '' : key.slice(0, slash), key.slice(slash + 1));
  }

  #target(name: ResourceName, namespace: string, objectName: string): WriteTarget {
    const { store } = this.#context;
    const collection = store.named(name);
    const own = collection.resource.namespaced ? namespace : '';
    return { store, collection, namespace: own, name: objectName, scope: 'all', dryRun: false };
  }
}

function makeContext(options: FakeApiServerOptions, sockets: Sockets): HandlerContext {
  const seed = options.seed ?? DEFAULT_SEED;
  const clock = options.clock ?? Date.now;
  return {
    store: new Store({
      resources: options.resources ?? [],
      resourceVersion: options.resourceVersion ?? DEFAULT_RESOURCE_VERSION,
      historyEvents: options.historyEvents ?? DEFAULT_HISTORY_EVENTS,
      random: new Random(seed),
      clock,
    }),
    // Faults draw from their own sequence: switching one on must not change the objects that are made.
    faults: new Faults(new Random(seed + 1)),
    stats: newStats(),
    log: new RequestLog(options.requestLogLimit ?? DEFAULT_REQUEST_LOG_LIMIT),
    options: behaviourOf(options),
    watches: new Set(),
    tokens: options.tokens,
    clock,
    breakOff: (response, how) => sockets.breakOff(response.socket, how),
  };
}

function metadataField(object: JsonObject, field: string): string | undefined {
  const metadata = object.metadata as JsonObject | undefined;
  const value = metadata?.[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
