/** The kinds that every cluster has: those of stable API versions that can be watched. */
import type {
  CoreV1Event,
  EventsV1Event,
  ResourceV1ResourceClaim,
  V1APIService,
  V1CertificateSigningRequest,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1ControllerRevision,
  V1CronJob,
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1DeviceClass,
  V1EndpointSlice,
  V1Endpoints,
  V1FlowSchema,
  V1Ingress,
  V1IngressClass,
  V1IPAddress,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1MutatingAdmissionPolicy,
  V1MutatingAdmissionPolicyBinding,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodTemplate,
  V1PriorityClass,
  V1PriorityLevelConfiguration,
  V1ReplicaSet,
  V1ReplicationController,
  V1ResourceClaimTemplate,
  V1ResourceQuota,
  V1ResourceSlice,
  V1Role,
  V1RoleBinding,
  V1RuntimeClass,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1ServiceCIDR,
  V1StatefulSet,
  V1StorageClass,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import type { Json } from './json.ts';
import type { TypedResource } from './typed-resource.ts';

/**
 * Built-in resources by the plural of their kind, typed: `factory.informerFor(resources.pods)` is an informer of
 * `Json<V1Pod>`. `events` are those of the core group, `eventsV1` those of events.k8s.io.
 * Their versions are those of Kubernetes 1.36; a server that is older may not have the newest of them.
 */
export const resources = {
  pods: namespaced<V1Pod>('v1', 'pods', 'Pod'),
  nodes: clusterScoped<V1Node>('v1', 'nodes', 'Node'),
  namespaces: clusterScoped<V1Namespace>('v1', 'namespaces', 'Namespace'),
  configMaps: namespaced<V1ConfigMap>('v1', 'configmaps', 'ConfigMap'),
  secrets: namespaced<V1Secret>('v1', 'secrets', 'Secret'),
  services: namespaced<V1Service>('v1', 'services', 'Service'),
  serviceAccounts: namespaced<V1ServiceAccount>('v1', 'serviceaccounts', 'ServiceAccount'),
  endpoints: namespaced<V1Endpoints>('v1', 'endpoints', 'Endpoints'),
  events: namespaced<CoreV1Event>('v1', 'events', 'Event'),
  persistentVolumes: clusterScoped<V1PersistentVolume>('v1', 'persistentvolumes', 'PersistentVolume'),
  persistentVolumeClaims: namespaced<V1PersistentVolumeClaim>(
    'v1',
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
  ),
  podTemplates: namespaced<V1PodTemplate>('v1', 'podtemplates', 'PodTemplate'),
  replicationControllers: namespaced<V1ReplicationController>(
    'v1',
    'replicationcontrollers',
    'ReplicationController',
  ),
  resourceQuotas: namespaced<V1ResourceQuota>('v1', 'resourcequotas', 'ResourceQuota'),
  limitRanges: namespaced<V1LimitRange>('v1', 'limitranges', 'LimitRange'),
  mutatingAdmissionPolicies: clusterScoped<V1MutatingAdmissionPolicy>(
    'admissionregistration.k8s.io/v1',
    'mutatingadmissionpolicies',
    'MutatingAdmissionPolicy',
  ),
  mutatingAdmissionPolicyBindings: clusterScoped<V1MutatingAdmissionPolicyBinding>(
    'admissionregistration.k8s.io/v1',
    'mutatingadmissionpolicybindings',
    'MutatingAdmissionPolicyBinding',
  ),
  mutatingWebhookConfigurations: clusterScoped<V1MutatingWebhookConfiguration>(
    'admissionregistration.k8s.io/v1',
    'mutatingwebhookconfigurations',
    'MutatingWebhookConfiguration',
  ),
  validatingAdmissionPolicies: clusterScoped<V1ValidatingAdmissionPolicy>(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicies',
    'ValidatingAdmissionPolicy',
  ),
  validatingAdmissionPolicyBindings: clusterScoped<V1ValidatingAdmissionPolicyBinding>(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
  ),
  validatingWebhookConfigurations: clusterScoped<V1ValidatingWebhookConfiguration>(
    'admissionregistration.k8s.io/v1',
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
  ),
  customResourceDefinitions: clusterScoped<V1CustomResourceDefinition>(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
  ),
  apiServices: clusterScoped<V1APIService>('apiregistration.k8s.io/v1', 'apiservices', 'APIService'),
  deployments: namespaced<V1Deployment>('apps/v1', 'deployments', 'Deployment'),
  replicaSets: namespaced<V1ReplicaSet>('apps/v1', 'replicasets', 'ReplicaSet'),
  statefulSets: namespaced<V1StatefulSet>('apps/v1', 'statefulsets', 'StatefulSet'),
  daemonSets: namespaced<V1DaemonSet>('apps/v1', 'daemonsets', 'DaemonSet'),
  controllerRevisions: namespaced<V1ControllerRevision>(
    'apps/v1',
    'controllerrevisions',
    'ControllerRevision',
  ),
  horizontalPodAutoscalers: namespaced<V2HorizontalPodAutoscaler>(
    'autoscaling/v2',
    'horizontalpodautoscalers',
    'HorizontalPodAutoscaler',
  ),
  jobs: namespaced<V1Job>('batch/v1', 'jobs', 'Job'),
  cronJobs: namespaced<V1CronJob>('batch/v1', 'cronjobs', 'CronJob'),
  certificateSigningRequests: clusterScoped<V1CertificateSigningRequest>(
    'certificates.k8s.io/v1',
    'certificatesigningrequests',
    'CertificateSigningRequest',
  ),
  leases: namespaced<V1Lease>('coordination.k8s.io/v1', 'leases', 'Lease'),
  endpointSlices: namespaced<V1EndpointSlice>('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice'),
  eventsV1: namespaced<EventsV1Event>('events.k8s.io/v1', 'events', 'Event'),
  flowSchemas: clusterScoped<V1FlowSchema>('flowcontrol.apiserver.k8s.io/v1', 'flowschemas', 'FlowSchema'),
  priorityLevelConfigurations: clusterScoped<V1PriorityLevelConfiguration>(
    'flowcontrol.apiserver.k8s.io/v1',
    'prioritylevelconfigurations',
    'PriorityLevelConfiguration',
  ),
  ingresses: namespaced<V1Ingress>('networking.k8s.io/v1', 'ingresses', 'Ingress'),
  ingressClasses: clusterScoped<V1IngressClass>('networking.k8s.io/v1', 'ingressclasses', 'IngressClass'),
  networkPolicies: namespaced<V1NetworkPolicy>('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy'),
  ipAddresses: clusterScoped<V1IPAddress>('networking.k8s.io/v1', 'ipaddresses', 'IPAddress'),
  serviceCIDRs: clusterScoped<V1ServiceCIDR>('networking.k8s.io/v1', 'servicecidrs', 'ServiceCIDR'),
  runtimeClasses: clusterScoped<V1RuntimeClass>('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass'),
  podDisruptionBudgets: namespaced<V1PodDisruptionBudget>(
    'policy/v1',
    'poddisruptionbudgets',
    'PodDisruptionBudget',
  ),
  roles: namespaced<V1Role>('rbac.authorization.k8s.io/v1', 'roles', 'Role'),
  roleBindings: namespaced<V1RoleBinding>('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding'),
  clusterRoles: clusterScoped<V1ClusterRole>('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole'),
  clusterRoleBindings: clusterScoped<V1ClusterRoleBinding>(
    'rbac.authorization.k8s.io/v1',
    'clusterrolebindings',
    'ClusterRoleBinding',
  ),
  deviceClasses: clusterScoped<V1DeviceClass>('resource.k8s.io/v1', 'deviceclasses', 'DeviceClass'),
  resourceClaims: namespaced<ResourceV1ResourceClaim>(
    'resource.k8s.io/v1',
    'resourceclaims',
    'ResourceClaim',
  ),
  resourceClaimTemplates: namespaced<V1ResourceClaimTemplate>(
    'resource.k8s.io/v1',
    'resourceclaimtemplates',
    'ResourceClaimTemplate',
  ),
  resourceSlices: clusterScoped<V1ResourceSlice>('resource.k8s.io/v1', 'resourceslices', 'ResourceSlice'),
  priorityClasses: clusterScoped<V1PriorityClass>('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass'),
  storageClasses: clusterScoped<V1StorageClass>('storage.k8s.io/v1', 'storageclasses', 'StorageClass'),
  volumeAttachments: clusterScoped<V1VolumeAttachment>(
    'storage.k8s.io/v1',
    'volumeattachments',
    'VolumeAttachment',
  ),
  volumeAttributesClasses: clusterScoped<V1VolumeAttributesClass>(
    'storage.k8s.io/v1',
    'volumeattributesclasses',
    'VolumeAttributesClass',
  ),
  csiDrivers: clusterScoped<V1CSIDriver>('storage.k8s.io/v1', 'csidrivers', 'CSIDriver'),
  csiNodes: clusterScoped<V1CSINode>('storage.k8s.io/v1', 'csinodes', 'CSINode'),
  csiStorageCapacities: namespaced<V1CSIStorageCapacity>(
    'storage.k8s.io/v1',
    'csistoragecapacities',
    'CSIStorageCapacity',
  ),
} as const;

function namespaced<T>(apiVersion: string, resource: string, kind: string): TypedResource<Json<T>, true> {
  return { ...groupVersion(apiVersion), resource, kind, namespaced: true };
}

function clusterScoped<T>(apiVersion: string, resource: string, kind: string): TypedResource<Json<T>, false> {
  return { ...groupVersion(apiVersion), resource, kind, namespaced: false };
}

/** @param apiVersion - as in manifests: 'v1' or 'apps/v1' */
export function groupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
