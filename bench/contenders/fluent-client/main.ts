/**
 * The watcher of kubernetes-fluent-client, used as its README shows. Arguments: path of the module, which is installed
 * outside of the checkout, and config.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type BenchObject,
  keyOf,
  kubeConfigObject,
  type Library,
  objectHandler,
  resourcesOf,
  serve,
  type Tally,
  versionOf,
} from '../../contender/index.ts';
import type { BenchResource } from '../../server/index.ts';
import type { ContenderConfig } from '../../suite/protocol.ts';

/** As much of the module as is used here. */
interface FluentClient {
  readonly kind: { readonly Pod: Model; readonly ConfigMap: Model };
  readonly GenericKind: Model;
  RegisterKind(model: Model, kind: { group: string; version: string; kind: string; plural: string }): void;
  K8s(model: Model): { Watch(callback: (object: BenchObject, phase: Phase) => void): Watcher };
}

type Model = new () => object;
type Phase = 'ADDED' | 'MODIFIED' | 'DELETED';

interface Watcher {
  start(): Promise<unknown>;
  readonly events: { on(name: string, listener: (error: unknown) => void): void };
}

/** Events that tell of something that went wrong. */
const ERROR_EVENTS = ['network_error', 'data_error', 'list_error', 'watch_error', 'give_up'];

const fluent = (await import(pathToFileURL(process.argv[2]!).href)) as FluentClient;
await serve(makeFluentClient);

function makeFluentClient(config: ContenderConfig, tally: Tally): Library {
  useKubeConfig(config);
  const handler = objectHandler(config, tally);
  const errors: string[] = [];
  // Nobody can read its cache, so its users keep one; the objects are the same.
  const caches = resourcesOf(config).map(() => new Map<string, BenchObject>());
  const watchers = resourcesOf(config).map((resource, i) => {
    const cache = caches[i]!;
    const watcher = fluent.K8s(modelOf(resource)).Watch((object, phase) => {
      if (phase === 'DELETED') {
        cache.delete(keyOf(object));
        handler.deleted(object);
      } else {
        cache.set(keyOf(object), object);
        if (phase === 'ADDED') handler.added(object);
        else handler.updated(object);
      }
    });
    for (const name of ERROR_EVENTS) watcher.events.on(name, (error) => errors.push(`${name}: ${error}`));
    return watcher;
  });
  const { indexes } = handler;

  return {
    async start() {
      await Promise.all(watchers.map((watcher) => watcher.start()));
    },
    *cached() {
      for (const cache of caches) {
        for (const [key, object] of cache) yield [key, versionOf(object)] as const;
      }
    },
    ...(indexes && { lookups: { nodes: () => indexes.nodes, onNode: (node) => indexes.onNode(node) } }),
    merged: 0,
    sharedBytes: undefined,
    errors,
  };
}

/** A class for each resource, as users write them for their own kinds. */
function modelOf({ group, version, kind, plural }: BenchResource): Model {
  if (kind === 'Pod') return fluent.kind.Pod;
  if (kind === 'ConfigMap') return fluent.kind.ConfigMap;
  const model = { [kind]: class extends fluent.GenericKind {} }[kind]!;
  fluent.RegisterKind(model, { group, version, kind, plural });
  return model;
}

/** It reads a kubeconfig file before each request, and only that. */
function useKubeConfig(config: ContenderConfig): void {
  const folder = mkdtempSync(join(tmpdir(), 'kubering-bench-'));
  const path = join(folder, 'config');
  writeFileSync(path, JSON.stringify(kubeConfigObject(config)), { mode: 0o600 });
  process.env.KUBECONFIG = path;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
