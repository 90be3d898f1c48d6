import type { KubeConfig } from '@kubernetes/client-node';
import type { ResourceRef } from '../../../src/index.ts';
import type { Connection } from '../harness/connection.ts';

/** A real API server, or the fake one: the suite asks the same of both. */
export interface ServerUnderTest {
  readonly name: string;
  kubeConfig(): KubeConfig;
  /** Requests that may do everything. */
  readonly api: Connection;
}

/** A custom resource whose fields are all kept, as strange as they are. */
export const WIDGETS = {
  group: 'conformance.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
  statusSubresource: true,
};

/** How a real server is told of {@link WIDGETS}. */
export const WIDGETS_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${WIDGETS.resource}.${WIDGETS.group}` },
  spec: {
    group: WIDGETS.group,
    scope: 'Namespaced',
    names: { plural: WIDGETS.resource, kind: WIDGETS.kind },
    versions: [
      {
        name: WIDGETS.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Longest time that a server takes to serve a resource that was just defined. */
const DEFINITION_LIMIT_MS = 30_000;

/** Defines {@link WIDGETS} unless somebody did, and waits until they are served. */
export async function defineWidgets(api: Connection, definition = WIDGETS_DEFINITION): Promise<void> {
  const { group, names } = definition.spec;
  await api.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
  const path = `/apis/${group}/v1/${names.plural}`;
  await untilServed(names.plural, async () => (await api.send('GET', path)).status === 200);
}

/** Waits until custom resources can be watched again: an API server is ready before it has read them. */
export async function servesWatches(
  api: Connection,
  { group, version, resource }: ResourceRef,
): Promise<void> {
  const path = `/apis/${group}/${version}/${resource}?watch=1&resourceVersion=0&timeoutSeconds=1`;
  await untilServed(`watches of ${resource}`, async () => (await api.send('GET', path)).status === 200);
}

async function untilServed(what: string, isServed: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEFINITION_LIMIT_MS;
  while (!(await isServed())) {
    if (performance.now() > endMs) throw new Error(`${what} were not served in time`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let namespaces = 0;

/** A namespace of its own for each test: they share one server. */
export async function newNamespace(api: Connection): Promise<string> {
  const name = `t${process.pid}-${++namespaces}`;
  await api.create('/api/v1/namespaces', { metadata: { name } });
  return name;
}
