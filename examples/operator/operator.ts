/**
 * An operator: of each Website it makes a Deployment, says in its status how that is doing, and keeps its image in a
 * directory (a ConfigMap beside it) for as long as it exists. Of several processes one works.
 */
import type { KubeConfig } from '@kubernetes/client-node';
import {
  ApiClient,
  ApiError,
  type ApiObject,
  addFinalizer,
  type Condition,
  Controller,
  type ControllerElection,
  controllerReference,
  customResource,
  leaseClient,
  type ObjectOf,
  patchStatus,
  type ReconcileContext,
  type ReconcileRequest,
  removeFinalizer,
  resources,
  type SharedInformer,
  type SharedInformerFactory,
  setCondition,
  TerminalError,
  type TrackableClient,
} from '../../src/index.ts';

export interface Website extends ApiObject {
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string; generation?: number };
  spec: { image: string; replicas?: number };
  status?: { readyReplicas?: number; conditions?: readonly Condition[] };
}

export const websites = customResource<Website>({
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  namespaced: true,
});

const FINALIZER = 'example.com/directory';
const DIRECTORY = 'websites';

export interface WebsiteOperatorOptions extends Omit<ControllerElection, 'client'> {
  /** Told when a reconcile begins and when it ends, for a log. */
  readonly onReconcile?: (what: 'begins' | 'ends', key: string) => void;
}

export function websiteOperator(
  kubeConfig: KubeConfig,
  factory: SharedInformerFactory,
  { onReconcile, ...election }: WebsiteOperatorOptions,
) {
  const client = new ApiClient(kubeConfig, { userAgent: 'website-operator' });
  const deployments = factory.informerFor(resources.deployments);
  return new Controller({
    name: 'website-operator',
    for: factory.informerFor(websites),
    owns: [deployments],
    listers: { deployments },
    concurrency: 4,
    leaderElection: { client: leaseClient(client), releaseOnCancel: true, ...election },
    async reconcile(request, context) {
      onReconcile?.('begins', request.key);
      try {
        await reconcileWebsite(client, request, context);
      } finally {
        onReconcile?.('ends', request.key);
      }
    },
  });
}

type Deployment = ObjectOf<typeof resources.deployments>;
type Context = ReconcileContext<Website, { deployments: SharedInformer<Deployment> }>;

async function reconcileWebsite(
  client: ApiClient,
  { key, namespace }: ReconcileRequest,
  { lister, listers, track }: Context,
): Promise<void> {
  let website = lister.get(key);
  if (website === undefined) return;
  const api = track(client);

  if ('deletionTimestamp' in website.metadata) {
    await writeDirectory(api, website, null);
    const release = removeFinalizer(website, FINALIZER);
    if (release !== null) await api.patch(websites, website.metadata, release);
    return;
  }
  if (!website.spec.image) throw new TerminalError('spec.image is missing');
  const claim = addFinalizer(website, FINALIZER);
  if (claim !== null) website = await api.patch<Website>(websites, website.metadata, claim);
  await writeDirectory(api, website, website.spec.image);

  const { replicas = 1, image } = website.spec;
  const deployment = listers.deployments.get(key);
  if (deployment === undefined) {
    await api.create(resources.deployments, deploymentOf(website) as ApiObject);
  } else if (
    deployment.spec?.replicas !== replicas ||
    deployment.spec.template.spec?.containers[0]?.image !== image
  ) {
    const { spec } = deploymentOf(website);
    await api.patch(resources.deployments, { namespace, name: website.metadata.name }, { spec });
  }

  const readyReplicas = deployment?.status?.readyReplicas ?? 0;
  const isReady = readyReplicas >= replicas;
  const conditions = setCondition(website.status?.conditions, {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'AllReady' : 'Starting',
    message: `${readyReplicas} of ${replicas} Pods are ready`,
  });
  await patchStatus(api, websites, website, { readyReplicas, conditions });
}

function deploymentOf(website: Website) {
  const { name, namespace } = website.metadata;
  const { image, replicas = 1 } = website.spec;
  const labels = { website: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ownerReferences: [controllerReference(website)] },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

/** Writes an entry, or takes it away. */
async function writeDirectory(
  api: TrackableClient,
  { metadata }: Website,
  image: string | null,
): Promise<void> {
  const { name, namespace } = metadata;
  const data = { [name]: image };
  try {
    await api.patch(resources.configMaps, { namespace, name: DIRECTORY }, { data });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not-found')) throw error;
    if (image !== null)
      await api.create(resources.configMaps, { metadata: { namespace, name: DIRECTORY }, data } as ApiObject);
  }
}
