/** What tests of credentials share: authorities, a gate, factories, and what is left of them at the end. */
import assert from 'node:assert/strict';
import type { KubeConfig } from '@kubernetes/client-node';
import {
  type FactoryOptions,
  type InformerError,
  type SharedInformer,
  SharedInformerFactory,
} from '../../../src/index.ts';
import { Authority } from '../../transport/certificates.ts';
import { base64, config, Folder, type Parts } from '../../transport/kube-configs.ts';
import { failedRejections } from '../scenarios/rejections.ts';
import { until } from '../until.ts';
import { Gate } from './gate.ts';

export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

export class Ward {
  readonly folder = new Folder();
  readonly serverCa: Authority;
  readonly clientCa: Authority;
  readonly gate: Gate;
  readonly #cleanups: (() => Promise<void> | void)[] = [];

  private constructor(serverCa: Authority, clientCa: Authority, gate: Gate) {
    this.serverCa = serverCa;
    this.clientCa = clientCa;
    this.gate = gate;
  }

  static async open(): Promise<Ward> {
    const [serverCa, clientCa] = await Promise.all([
      Authority.create('servers'),
      Authority.create('clients'),
    ]);
    const identity = await serverCa.issue('server', { isServer: true });
    return new Ward(serverCa, clientCa, await Gate.start({ identity, clientCa: clientCa.cert }));
  }

  /** Entries of a kubeconfig whose cluster is the gate. */
  parts({ cluster = {}, user = {} }: Parts = {}): Parts {
    return { cluster: { server: this.gate.url, caData: base64(this.serverCa.cert), ...cluster }, user };
  }

  watch(parts: Parts | KubeConfig, options?: FactoryOptions): Watcher {
    const kubeConfig = 'cluster' in parts || 'user' in parts ? config(parts as Parts) : (parts as KubeConfig);
    const watcher = new Watcher(kubeConfig, this.gate, options);
    this.atEnd(() => watcher.factory.stop());
    return watcher;
  }

  atEnd(cleanup: () => Promise<void> | void): void {
    this.#cleanups.push(cleanup);
  }

  /** Between two tests. Only so many sockets may be left. */
  async clear(openSockets = 0): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
    this.gate.visits.length = 0;
    this.gate.admits = () => true;
    this.gate.present(await this.serverCa.issue('server', { isServer: true }));
    this.gate.api.faults.clear();
    await until('no socket leaks', () => this.gate.open.size === openSockets);
    assert.deepEqual(failedRejections(), []);
  }

  async close(): Promise<void> {
    await this.gate.stop();
    this.folder.remove();
  }
}

/** A factory with an informer, and what it tells. */
export class Watcher {
  readonly factory: SharedInformerFactory;
  readonly informer: SharedInformer;
  readonly errors: InformerError[] = [];
  readonly #gate: Gate;

  constructor(kubeConfig: KubeConfig, gate: Gate, options?: FactoryOptions) {
    this.#gate = gate;
    this.factory = new SharedInformerFactory(kubeConfig, options);
    this.informer = this.factory.informerFor(CONFIG_MAPS);
    this.informer.on('error', (error) => this.errors.push(error));
  }

  /** Starts, and waits for the watch. */
  async start(): Promise<void> {
    const watches = this.#gate.visits.filter(({ verb }) => verb === 'watch').length;
    await this.factory.start();
    await until('there is a watch', () => {
      return this.#gate.visits.filter(({ verb }) => verb === 'watch').length > watches;
    });
  }

  /** Makes an object, and waits until it is in the cache. */
  async sees(name: string): Promise<void> {
    this.#gate.create(name);
    await until(`${name} is seen`, () => this.informer.lister.has(`default/${name}`), 20_000);
  }

  /** Starts with something that does not work, and gives the first error. */
  async firstError(): Promise<InformerError> {
    this.factory.start().catch(() => {});
    await until('an error was told', () => this.errors.length > 0);
    return this.errors[0]!;
  }
}
