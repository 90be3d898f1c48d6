import type { JsonObject } from './json.ts';
import { fieldsOf } from './managed-fields.ts';

/** What distinguishes one sort of Pod from another. */
export interface PodShape {
  hasSidecar: boolean;
  hasInitContainer: boolean;
  envVariables: number;
  isPending: boolean;
}

/**
 * A Pod of this shape, with `@NAME@` and the like where Pods of one shape differ. Fields, their order and
 * managedFields are as a kube-apiserver 1.37 sends them.
 */
export function podTemplate(shape: PodShape): { metadata: JsonObject; spec: JsonObject; status: JsonObject } {
  const spec = podSpec(shape);
  const status = podStatus(shape);
  const labels = {
    'app.kubernetes.io/name': '@APP@',
    'app.kubernetes.io/part-of': '@NAMESPACE@',
    'app.kubernetes.io/version': '@VERSION@',
    'pod-template-hash': '@HASH@',
    tier: '@TIER@',
  };
  const annotations = {
    'checksum/config': '@CHECKSUM@',
    'kubectl.kubernetes.io/restartedAt': '2026-11-02T09:14:03Z',
    'prometheus.io/port': '9090',
    'prometheus.io/scrape': 'true',
  };
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: '@APP@-@HASH@',
    uid: '@OWNERUID@',
    controller: true,
    blockOwnerDeletion: true,
  };
  const generateName = '@APP@-@HASH@-';
  // Priority and class of service come from the server, so nobody who wrote the Pod owns them.
  const { priority: _priority, preemptionPolicy: _policy, ...ownSpec } = spec;
  const { qosClass: _class, ...ownStatus } = status;
  const written = {
    metadata: { generateName, labels, annotations, ownerReferences: [owner] },
    spec: ownSpec,
  };
  const metadata = {
    name: '@NAME@',
    generateName,
    namespace: '@NAMESPACE@',
    uid: '@UID@',
    resourceVersion: '',
    generation: 1,
    creationTimestamp: '@CREATED@',
    labels,
    annotations,
    ownerReferences: [owner],
    managedFields: [
      managedBy('kube-controller-manager', fieldsOf(written)),
      { ...managedBy('kubelet', fieldsOf({ status: ownStatus })), subresource: 'status' },
    ],
  };
  return { metadata, spec, status };
}

function managedBy(manager: string, fieldsV1: JsonObject): JsonObject {
  const how = { operation: 'Update', apiVersion: 'v1', time: '@CREATED@', fieldsType: 'FieldsV1' };
  return { manager, ...how, fieldsV1 };
}

function podSpec(shape: PodShape): JsonObject {
  const sameApp = { matchLabels: { 'app.kubernetes.io/name': '@APP@' } };
  return {
    volumes: [
      { name: 'config', configMap: { name: '@APP@-config', defaultMode: 420 } },
      { name: 'tmp', emptyDir: {} },
    ],
    ...(shape.hasInitContainer ? { initContainers: [initContainer()] } : {}),
    containers: shape.hasSidecar ? [appContainer(shape), sidecar()] : [appContainer(shape)],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    ...(shape.isPending ? {} : { nodeName: '@NODE@' }),
    securityContext: {},
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { labelSelector: sameApp, topologyKey: 'kubernetes.io/hostname' } },
        ],
      },
    },
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: sameApp,
      },
    ],
  };
}

function appContainer(shape: PodShape): JsonObject {
  const env: JsonObject[] = [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
    { name: 'GOMAXPROCS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
    { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: '@APP@-db', key: 'url' } } },
    { name: 'FEATURE_FLAGS', value: '{"newCheckout":true,"dark":"90%"}' },
  ];
  for (let i = env.length; i < shape.envVariables; i++)
    env.push({ name: `SETTING_${i}`, value: `value-${i}` });
  return {
    name: '@APP@',
    image: APP_IMAGE,
    args: ['--listen=:8080', '--log-format=json', '--shard=@SHARD@'],
    ports: [
      { name: 'http', containerPort: 8080, protocol: 'TCP' },
      { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
    ],
    env: env.slice(0, shape.envVariables),
    resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '250m', memory: '512Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    livenessProbe: { ...probe('/healthz', 'http', 15, 5), initialDelaySeconds: 10 },
    readinessProbe: probe('/ready', 'http', 5, 3),
    ...CONTAINER_DEFAULTS,
    securityContext: {
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    },
  };
}

function sidecar(): JsonObject {
  const env = Array.from({ length: 8 }, (_, i) => ({ name: `ISTIO_META_${i}`, value: `v${i}` }));
  return {
    name: 'istio-proxy',
    image: SIDECAR_IMAGE,
    args: ['proxy', 'sidecar', '--domain', '$(POD_NAMESPACE).svc.cluster.local'],
    env,
    resources: { requests: { cpu: '10m', memory: '40Mi' } },
    readinessProbe: probe('/healthz/ready', 15021, 15, 3),
    ...CONTAINER_DEFAULTS,
  };
}

function initContainer(): JsonObject {
  return {
    name: 'migrate',
    image: INIT_IMAGE,
    args: ['migrate', '--wait'],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'RETRIES', value: '10' },
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/app' }],
    ...CONTAINER_DEFAULTS,
  };
}

const APP_IMAGE = 'registry.example.com/@NAMESPACE@/@APP@:@TAG@';
const SIDECAR_IMAGE = 'docker.example.com/istio/proxyv2:1.24.1';
const INIT_IMAGE = 'registry.example.com/tools/migrate:2.3.0';
const CONTAINER_DEFAULTS = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};

function probe(
  path: string,
  port: string | number,
  periodSeconds: number,
  failureThreshold: number,
): JsonObject {
  const often = { timeoutSeconds: 1, periodSeconds, successThreshold: 1, failureThreshold };
  return { httpGet: { path, port, scheme: 'HTTP' }, ...often };
}

function podStatus(shape: PodShape): JsonObject {
  if (shape.isPending) {
    return { phase: 'Pending', conditions: [condition('PodScheduled', 'False')], qosClass: 'Burstable' };
  }
  const statuses = [running('@APP@', APP_IMAGE, 0)];
  if (shape.hasSidecar) statuses.push(running('istio-proxy', SIDECAR_IMAGE, 1));
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    conditions: conditions.map((type) => condition(type, 'True')),
    hostIP: '@HOSTIP@',
    hostIPs: [{ ip: '@HOSTIP@' }],
    podIP: '@PODIP@',
    podIPs: [{ ip: '@PODIP@' }],
    startTime: '@STARTED@',
    ...(shape.hasInitContainer ? { initContainerStatuses: [terminated('migrate', INIT_IMAGE)] } : {}),
    containerStatuses: statuses,
    qosClass: 'Burstable',
  };
}

function condition(type: string, status: string): JsonObject {
  return { type, observedGeneration: 1, status, lastProbeTime: null, lastTransitionTime: '@STARTED@' };
}

function running(name: string, image: string, index: number): JsonObject {
  return {
    name,
    state: { running: { startedAt: '@STARTED@' } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image,
    imageID: image,
    containerID: `containerd://@CONTAINER${index}@`,
    started: true,
  };
}

function terminated(name: string, image: string): JsonObject {
  const containerID = 'containerd://@CONTAINER2@';
  const how = {
    exitCode: 0,
    reason: 'Completed',
    startedAt: '@STARTED@',
    finishedAt: '@STARTED@',
    containerID,
  };
  const rest = { ready: true, restartCount: 0, image, imageID: image, containerID, started: false };
  return { name, state: { terminated: how }, lastState: {}, ...rest };
}
