/** One failure scenario: a fake API server, an informer on it, and what both say afterwards. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubeConfig } from '@kubernetes/client-node';
import {
  type FactoryOptions,
  type InformerError,
  type InformerOptions,
  type SharedInformer,
  SharedInformerFactory,
} from '../../../src/index.ts';
import { FakeApiServer, type FakeApiServerOptions } from '../../../src/testing/index.ts';
import { bodiesOfTests } from '../body-formats.ts';
import { until } from '../until.ts';
import { assertErrorsAreClear } from './errors.ts';
import { failedRejections } from './rejections.ts';
import { assertStory, type Told } from './story.ts';

export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

export interface ConfigMap {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string };
  data?: Record<string, string>;
}

export interface SceneOptions {
  server?: FakeApiServerOptions;
  factory?: FactoryOptions;
  informer?: InformerOptions;
  /** Names of ConfigMaps that exist before the informer starts. */
  existing?: readonly string[];
  /** A list may show several changes as one, so that not every single one can be told. */
  relists?: boolean;
}

/** A test that runs `body` and then looks at everything that must hold after any failure. */
export function scenario(name: string, options: SceneOptions, body: (scene: Scene) => Promise<void>): void {
  it(name, async () => {
    const scene = await Scene.open(options);
    try {
      await body(scene);
      await scene.conclude();
    } finally {
      await scene.close();
    }
  });
}

/** Scenes of one file that run at once: mostly they wait for delays to pass. */
export const SCENES = 12;

/** Bytes of data in each ConfigMap, so that places in a stream can be named by bytes. */
const DATA_BYTES = 2000;

export class Scene {
  server: FakeApiServer;
  /** What handlers were told, in order. */
  readonly told: Told[] = [];
  readonly errors: InformerError[] = [];
  /** All changes that the server made, as handlers should be told of them. */
  readonly changes: string[] = [];
  readonly #options: SceneOptions;
  #factory: SharedInformerFactory | undefined;
  #informer: SharedInformer<ConfigMap> | undefined;
  readonly #cleanups: (() => void)[] = [];
  #step = 0;
  #isConcluded = false;

  private constructor(server: FakeApiServer, options: SceneOptions) {
    this.server = server;
    this.#options = options;
    for (const name of options.existing ?? []) this.create(name);
    this.connectTo(server.kubeConfig());
  }

  static async open(options: SceneOptions): Promise<Scene> {
    return new Scene(await FakeApiServer.start({ seed: 7, ...options.server }), options);
  }

  get factory(): SharedInformerFactory {
    return this.#factory!;
  }

  get informer(): SharedInformer<ConfigMap> {
    return this.#informer!;
  }

  /** Makes a factory and an informer, for example for another address; before `start`. */
  connectTo(kubeConfig: KubeConfig): void {
    this.#factory = new SharedInformerFactory(kubeConfig, { ...bodiesOfTests(), ...this.#options.factory });
    this.#informer = this.#factory.informerFor<ConfigMap>(CONFIG_MAPS, this.#options.informer);
    this.#informer.on('error', (error) => this.errors.push(error));
    this.#informer.addEventHandler({
      onEvent: ({ type, key, uid, resourceVersion, isFinalStateUnknown }) =>
        void this.told.push({ type, key, uid, resourceVersion, isFinalStateUnknown }),
    });
  }

  /** Starts the informer, and waits until its watch is open. */
  async start(): Promise<void> {
    await this.factory.start();
    await this.watchIsOpen();
  }

  watchIsOpen(): Promise<void> {
    return until('the watch is open', () => this.server.stats.openWatches === 1);
  }

  create(name: string): void {
    const metadata = { name, namespace: 'default' };
    this.#changed('add', name, this.server.create('configmaps', { metadata, data: this.#nextData() }));
  }

  update(name: string): void {
    const patch = { data: this.#nextData() };
    this.#changed('update', name, this.server.patch('configmaps', `default/${name}`, patch));
  }

  delete(name: string): void {
    this.server.delete('configmaps', `default/${name}`);
    this.changes.push(`delete default/${name}@${this.server.resourceVersion}`);
  }

  /** Waits until the cache has what the server has. */
  caughtUp(): Promise<void> {
    const goal = BigInt(this.server.resourceVersion);
    return until(`the cache is at ${goal}`, () => BigInt(this.informer.lister.resourceVersion || 0) >= goal);
  }

  /** Waits for so many errors. */
  failed(count: number): Promise<void> {
    return until(`${count} errors were told`, () => this.errors.length >= count);
  }

  /** Another server takes the place of the one that is there. Objects and versions start anew. */
  async restartServer(options: FakeApiServerOptions = {}): Promise<void> {
    await this.server.stop();
    this.server = await FakeApiServer.start({ ...this.#options.server, ...options, port: this.server.port });
  }

  requests(verb: 'list' | 'watch'): number {
    return this.server.requests.filter((request) => request.verb === verb).length;
  }

  assertRequests(expected: { lists: number; watches: number }): void {
    assert.deepEqual({ lists: this.requests('list'), watches: this.requests('watch') }, expected);
  }

  /** For informers with a short idle limit, which a busy machine may exceed on its own. */
  assertRequestsAtMost(limits: { lists: number; watches: number }): void {
    const lists = this.requests('list');
    const watches = this.requests('watch');
    assert.ok(lists <= limits.lists, `${lists} lists, at most ${limits.lists} expected`);
    assert.ok(watches <= limits.watches, `${watches} watches, at most ${limits.watches} expected`);
  }

  assertErrors(...patterns: RegExp[]): void {
    const messages = this.errors.map(({ message }) => message);
    assert.equal(messages.length, patterns.length, messages.join('\n'));
    for (const [i, pattern] of patterns.entries()) assert.match(messages[i]!, pattern);
  }

  /** The first delay is 0.8 to 1.6 s, each next one twice that. */
  assertDelaysGrow(): void {
    const delays = this.errors.map(({ retryInMs }) => retryInMs!);
    for (const [i, delay] of delays.entries()) {
      const message = `delays: ${delays.join(', ')} ms`;
      assert.ok(delay >= 600 * 2 ** i && delay <= 1600 * 2 ** i, message);
    }
  }

  /** Everything that must hold after any failure, unless the body has looked at it itself. */
  async conclude(): Promise<void> {
    if (this.#isConcluded) return;
    this.server.faults.clear();
    // What came twice came before this.
    this.create('zz-last');
    await until('the last change came', () => this.informer.lister.has('default/zz-last'));
    await this.caughtUp();
    this.#assertCache();
    this.#assertTold();
    assertErrorsAreClear(this.errors, 'configmaps');
    await until('one watch is open', () => this.server.stats.openWatches === 1);
    await until('no socket leaks', () => this.server.stats.openSockets <= 2);

    const errors = this.errors.length;
    const told = this.told.length;
    await this.factory.stop();
    await until('all sockets are closed', () => this.server.stats.openSockets === 0);
    // A busy machine may exceed a short idle limit once more before the stop comes through.
    const late = this.errors.slice(errors).filter(({ code }) => code !== 'idle-timeout');
    assert.deepEqual(late, [], 'to stop is no error');
    assert.equal(this.told.length, told, 'nothing is told after the stop');
    this.assertNoRejections();
  }

  assertNoRejections(): void {
    assert.deepEqual(failedRejections(), []);
  }

  /** The body has seen all that it wants to see: the next try would come too late for a test. */
  doNotConclude(): void {
    this.#isConcluded = true;
  }

  /** Called when the scene is over. */
  atEnd(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    await this.factory.stop();
    await this.server.stop();
    for (const cleanup of this.#cleanups) cleanup();
  }

  #assertCache(): void {
    const cached = new Map(this.informer.lister.refs().map((ref) => [ref.key, ref.object]));
    const stored = this.server.list('configmaps') as unknown as ConfigMap[];
    const expected = new Map(stored.map((object) => [`default/${object.metadata.name}`, object]));
    assert.deepEqual([...cached.keys()].sort(), [...expected.keys()].sort());
    for (const [key, object] of expected) assert.deepEqual(cached.get(key), object);
  }

  #assertTold(): void {
    assertStory(this.told, this.server.states('configmaps'));
    if (this.#options.relists !== true) {
      const told = this.told.map(({ type, key, resourceVersion }) => `${type} ${key}@${resourceVersion}`);
      assert.deepEqual(told, this.changes);
    }
  }

  #changed(type: string, name: string, object: object): void {
    const { resourceVersion } = (object as ConfigMap).metadata;
    this.changes.push(`${type} default/${name}@${resourceVersion}`);
  }

  #nextData(): Record<string, string> {
    return { step: String(this.#step++), text: 'text '.repeat(DATA_BYTES / 5) };
  }
}
