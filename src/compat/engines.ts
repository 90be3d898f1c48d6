/**
 * The engines behind drop-in informers: one factory for all that use the same KubeConfig and context, and one informer
 * in it for all that watch the same. The last one that stops ends the threads, so that the process can end.
 */
import type { KubeConfig } from '@kubernetes/client-node';
import { type InformerOptions, type SharedInformer, SharedInformerFactory } from '../informer/index.ts';
import type { ResourceRef } from '../reflector/index.ts';

/** What is watched, and with whose credentials. */
export interface Source {
  readonly kubeConfig: KubeConfig;
  readonly resource: ResourceRef;
  readonly options: InformerOptions;
}

/** So many of one thing are rarely meant: somebody makes new ones instead of starting the old one again. */
const MANY = 10;

interface Shared {
  readonly informer: SharedInformer;
  readonly leases: Set<Lease>;
  hasWarned: boolean;
}

class Engine {
  readonly #factory: SharedInformerFactory;
  readonly #shared = new Map<string, Shared>();
  readonly #onUnused: () => void;
  #leases = 0;

  constructor(kubeConfig: KubeConfig, onUnused: () => void) {
    this.#factory = new SharedInformerFactory(kubeConfig);
    this.#onUnused = onUnused;
  }

  lease(resource: ResourceRef, options: InformerOptions): Lease {
    const id = JSON.stringify([resource, options.labelSelector, options.fieldSelector]);
    let shared = this.#shared.get(id);
    if (shared === undefined) {
      const informer = this.#factory.informerFor(resource, options);
      // Each lease listens for errors. Node's own warning about many listeners would not say what to do.
      informer.setMaxListeners(0);
      shared = { informer, leases: new Set(), hasWarned: false };
      this.#shared.set(id, shared);
    }
    const lease = new Lease(this, id, shared);
    this.#leases++;
    shared.leases.add(lease);
    warnOfMany(shared);
    // It rejects when the factory stops, and says nothing that the informer does not say.
    this.#factory.start().catch(() => {});
    return lease;
  }

  get hasOneLease(): boolean {
    return this.#leases === 1;
  }

  async release(lease: Lease, id: string, shared: Shared): Promise<void> {
    if (!shared.leases.delete(lease)) return;
    this.#leases--;
    if (shared.leases.size === 0) this.#shared.delete(id);
    if (this.#leases === 0) {
      this.#onUnused();
      await this.#factory.stop();
    } else if (shared.leases.size === 0) {
      await shared.informer.stop();
    }
  }
}

/** The right to an informer that others may use too. */
export class Lease {
  readonly #engine: Engine;
  readonly #id: string;
  readonly #shared: Shared;

  constructor(engine: Engine, id: string, shared: Shared) {
    this.#engine = engine;
    this.#id = id;
    this.#shared = shared;
  }

  get informer(): SharedInformer {
    return this.#shared.informer;
  }

  /** Whether nobody asked for the same informer later. */
  get isLatest(): boolean {
    return [...this.#shared.leases].at(-1) === this;
  }

  /** Whether the engine ends with it: the cache can be read afterwards, and does not change any more. */
  get isLastOfEngine(): boolean {
    return this.#engine.hasOneLease;
  }

  /** Resolves when what nobody uses any more has stopped. Harmless when called twice. */
  release(): Promise<void> {
    return this.#engine.release(this, this.#id, this.#shared);
  }
}

/** Engines by KubeConfig and context: a KubeConfig that was switched to another cluster has other objects. */
const engines = new WeakMap<KubeConfig, Map<string, Engine>>();

export function lease({ kubeConfig, resource, options }: Source): Lease {
  // Functions are nobody else's, and need no thread.
  if (options.listerWatcher !== undefined) return new Engine(kubeConfig, () => {}).lease(resource, options);
  const context = kubeConfig.getCurrentContext();
  const byContext = engines.get(kubeConfig) ?? new Map<string, Engine>();
  engines.set(kubeConfig, byContext);
  const engine = byContext.get(context) ?? new Engine(kubeConfig, () => byContext.delete(context));
  byContext.set(context, engine);
  return engine.lease(resource, options);
}

function warnOfMany(shared: Shared): void {
  if (shared.leases.size <= MANY || shared.hasWarned) return;
  shared.hasWarned = true;
  const { resource } = shared.informer.resource;
  process.emitWarning(
    `${shared.leases.size} informers of the same ${resource} are running; ` +
      'an error does not end an informer here, so stop() the old one when you make another one in its place',
    { code: 'KUBERING_COMPAT_MANY_INFORMERS' },
  );
}
