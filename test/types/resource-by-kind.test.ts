import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { resourceByKind, resources, SharedInformerFactory, type TypedResource } from '../../src/index.ts';
import { FakeApiServer, type FakeApiServerOptions } from '../../src/testing/index.ts';
import { emptyKubeConfig } from '../list-watch/home.ts';
import { holds, type Same } from './holds.ts';

const WIDGETS = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

describe('resourceByKind', () => {
  it('finds built-in kinds, of the core group and of others', async (t) => {
    const kubeConfig = (await start(t)).kubeConfig();

    assert.deepEqual(await resourceByKind(kubeConfig, { apiVersion: 'v1', kind: 'Node' }), resources.nodes);
    const deployments = await resourceByKind(kubeConfig, { apiVersion: 'apps/v1', kind: 'Deployment' });
    assert.deepEqual(deployments, resources.deployments);
  });

  it('finds a custom resource, for an informer of your type', async (t) => {
    const server = await start(t, { resources: [WIDGETS] });
    server.create('widgets', { metadata: { name: 'w' }, spec: { size: 3 } });
    const widgets = await resourceByKind<Widget>(server.kubeConfig(), {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
    });
    const factory = new SharedInformerFactory(server.kubeConfig());
    t.after(() => factory.stop());
    const informer = factory.informerFor(widgets);
    await factory.start();

    holds<Same<typeof widgets, TypedResource<Widget>>>();
    assert.deepEqual(widgets, WIDGETS);
    assert.equal(informer.lister.get('default/w')?.spec.size, 3);
  });

  it('names a kind that is not there, those that are, and what to do', async (t) => {
    const kubeConfig = (await start(t)).kubeConfig();

    await assert.rejects(resourceByKind(kubeConfig, { apiVersion: 'batch/v1', kind: 'jobs' }), {
      code: 'KUBERING_UNKNOWN_KIND',
      message:
        /no kind jobs in batch\/v1, but Job, CronJob; give the kind as in manifests: singular, in capitals/,
    });
  });

  it('names a group that is not there', async (t) => {
    const kubeConfig = (await start(t)).kubeConfig();

    await assert.rejects(resourceByKind(kubeConfig, { apiVersion: 'example.com/v1', kind: 'Widget' }), {
      code: 'KUBERING_UNKNOWN_KIND',
      message:
        /does not have example\.com\/v1, so it has no kind Widget.*custom resource definition is installed/,
    });
  });

  it('refuses a kind that can’t be listed and watched', async (t) => {
    const kubeConfig = await answering(t, {
      resources: [{ name: 'tokenreviews', kind: 'TokenReview', namespaced: false, verbs: ['create'] }],
    });

    const name = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    await assert.rejects(resourceByKind(kubeConfig, name), {
      code: 'KUBERING_UNKNOWN_KIND',
      message: /TokenReview.*does not offer to list or watch it/,
    });
  });

  for (const [what, name] of [
    ['no apiVersion', { kind: 'Pod' }],
    ['an apiVersion with two slashes', { apiVersion: 'a/b/c', kind: 'Pod' }],
    ['an empty kind', { apiVersion: 'v1', kind: '' }],
  ] as const) {
    it(`refuses ${what}, and asks nobody`, async () => {
      await assert.rejects(resourceByKind(emptyKubeConfig(), name as never), {
        name: 'TypeError',
        message: /named as in manifests/,
      });
    });
  }

  it('tells apart that the server refuses, is no Kubernetes, and is not there', async (t) => {
    const server = await start(t, { tokens: ['somebody'] });
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    const noApi = await answering(t, { hello: 'world' });
    const noJson = await answering(t, '<html>');
    const refused = server.kubeConfig();
    server.acceptTokens(['somebody else']);
    const gone = await start(t);
    await gone.stop();

    const code = 'KUBERING_DISCOVERY';
    await assert.rejects(resourceByKind(refused, pod), {
      code,
      status: 401,
      message: /answered 401.*credentials/,
    });
    await assert.rejects(resourceByKind(noApi, pod), {
      code,
      message: /no Kubernetes API; check the server URL/,
    });
    await assert.rejects(resourceByKind(noJson, pod), { code, message: /v1: .*JSON/ });
    await assert.rejects(resourceByKind(gone.kubeConfig(), pod), { code, message: /can't be asked/ });
    await assert.rejects(resourceByKind(emptyKubeConfig(), pod), { code, message: /can't be asked/ });
  });

  it('ends when its signal says so', async (t) => {
    const server = await start(t);
    server.faults.add({ fault: 'silence' });
    const control = new AbortController();
    const asked = resourceByKind(
      server.kubeConfig(),
      { apiVersion: 'v1', kind: 'Pod' },
      { signal: control.signal },
    );
    control.abort(new Error('enough'));

    await assert.rejects(asked, { code: 'KUBERING_DISCOVERY', message: /enough/ });
  });
});

interface Widget {
  metadata: { name: string };
  spec: { size: number };
}

async function start(t: TestContext, options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
  const server = await FakeApiServer.start(options);
  t.after(() => server.stop());
  return server;
}

/** A server that gives everybody the same answer. */
async function answering(t: TestContext, answer: unknown): Promise<KubeConfig> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const kubeConfig = new KubeConfig();
  const { port } = server.address() as AddressInfo;
  kubeConfig.loadFromClusterAndUser(
    { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'u' },
  );
  return kubeConfig;
}
