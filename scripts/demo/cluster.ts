/** The demo on a cluster of yours: it lists and watches one resource, and writes nothing. */
import { loadKubeConfig, type ResourceRef, SharedInformerFactory } from '../../src/index.ts';
import type { Display } from './display.ts';
import { type Measured, Meter } from './meter.ts';
import { withMetricsPage } from './metrics-page.ts';

export interface ClusterOptions {
  /** @default what kubectl takes */
  readonly kubeconfig: string | undefined;
  /** @default the kubeconfig's current one */
  readonly context: string | undefined;
  readonly resource: ResourceRef;
  /** Ends the demo, which has then gone well if the cache had synced. */
  readonly signal: AbortSignal;
  /** Where /metrics is served meanwhile; 0 for any free port, undefined for nowhere. */
  readonly metricsPort?: number | undefined;
}

/**
 * Watches until the signal comes.
 *
 * @throws CredentialsError when the kubeconfig can't be used
 * @throws CacheSyncError when there is no such resource, it may not be read, or the signal came before the whole list
 */
export async function watchCluster(options: ClusterOptions, display: Display): Promise<Measured> {
  const { kubeconfig, context } = options;
  const kubeConfig = loadKubeConfig({
    ...(kubeconfig !== undefined && { file: kubeconfig }),
    ...(context !== undefined && { context }),
  });
  display.say(`watching ${display.what} of ${kubeConfig.getCurrentContext()}, read-only, until Ctrl-C …`);
  const factory = new SharedInformerFactory(kubeConfig);
  try {
    const port = options.metricsPort;
    return await withMetricsPage({ factory, port, display }, () => measure(options, display, factory));
  } finally {
    await factory.stop();
  }
}

async function measure(
  { resource, signal }: ClusterOptions,
  display: Display,
  factory: SharedInformerFactory,
): Promise<Measured> {
  const informer = factory.informerFor(resource);
  informer.on('error', (error) => display.warn(error.message));
  informer.on('progress', ({ items, remaining }) => display.progress(items, remaining ?? 0));
  // What loading this program left behind is collected now, not in the middle of what is measured.
  globalThis.gc?.();
  const meter = new Meter(factory, informer);
  try {
    await factory.start({ signal, failFast: true });
  } finally {
    display.endProgress(informer.lister.size);
  }
  meter.synced((figures) => display.live(figures));
  display.say(`synced ${informer.lister.size} ${display.what} in ${meter.syncMs.toFixed(0)} ms`);
  await aborted(signal);
  display.endLive();
  const measured = meter.stop()();
  display.measured(measured);
  return measured;
}

/** `pods.v1`, or with a group as `kubectl` takes it: `deployments.v1.apps`. */
export function parseResource(text: string): ResourceRef {
  const parts = /^([a-z0-9-]+)\.(v\d[a-z0-9]*)(?:\.([a-z0-9.-]+))?$/.exec(text);
  if (parts === null) {
    throw new Error(`--resource is <plural>.<version>[.<group>] such as pods.v1, not '${text}'`);
  }
  const [, resource = '', version = '', group = ''] = parts;
  return { group, version, resource };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
