/** Who may in and who may not, as a real API server sees it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../e2e/until.ts';
import type { Identity } from '../transport/certificates.ts';
import { ADMIN, GUEST, kubeConfigOf } from './harness/cluster-access.ts';
import { Relay } from './harness/relay.ts';
import { collectionPath, Follower, withFactory } from './suite/follower.ts';
import { openRealServer, type RealServer } from './suite/real-server.ts';
import { newNamespace } from './suite/server-under-test.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

/** Tries after a refusal have delays; a restarted API server takes its time. */
const LIMIT_MS = 60_000;

describe('credentials', () => {
  let server: RealServer;
  before(async () => {
    server = await openRealServer();
  });
  after(() => server.close());

  it('can be a client certificate', async () => {
    const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
    await server.api.create(collectionPath(resource), { metadata: { name: 'a' } });
    await withFactory(kubeConfigOf(server.access, userOf(server.access.client)), async (factory) => {
      const follower = new Follower(factory, resource);
      await factory.start();
      await server.api.create(collectionPath(resource), { metadata: { name: 'b' } });
      await follower.settled(server.api);

      assert.deepEqual(follower.story, ['add a', 'add b']);
    });
  });

  it('of a client certificate from an authority that the server does not trust are refused with 401', async () => {
    await withFactory(kubeConfigOf(server.access, userOf(server.access.stranger)), async (factory) => {
      const follower = new Follower(factory, CONFIG_MAPS);
      factory.start().catch(() => {});
      await until('it was refused twice', () => follower.errors.length >= 2, LIMIT_MS);

      for (const { code, status } of follower.errors) assert.deepEqual([code, status], ['unauthorized', 401]);
    });
  });

  it('of a client certificate that has expired are told as what they are', async () => {
    await withFactory(kubeConfigOf(server.access, userOf(server.access.expired)), async (factory) => {
      const follower = new Follower(factory, CONFIG_MAPS);
      factory.start().catch(() => {});
      const isTold = () => follower.errors.some(({ code }) => code === 'client-certificate-expired');
      await until('it was told', isTold, LIMIT_MS);

      assert.deepEqual([follower.errors[0]!.code, follower.errors[0]!.status], ['unauthorized', 401]);
      assert.equal(follower.informer.hasSynced, false);
    });
  });

  it('of an authority that did not sign the server’s certificate are never sent', async () => {
    const { url, otherCa } = server.access;
    await withFactory(kubeConfigOf({ url, ca: otherCa }, { token: ADMIN.token }), async (factory) => {
      const follower = new Follower(factory, CONFIG_MAPS);
      factory.start().catch(() => {});
      await until('it was told', () => follower.errors.length > 0, LIMIT_MS);

      assert.equal(follower.errors[0]!.code, 'tls-failed');
      assert.match(follower.errors[0]!.message, /not signed by a trusted CA/);
      assert.doesNotMatch(follower.errors[0]!.message, new RegExp(ADMIN.token));
    });
  });

  it('that are wrong are refused with 401, which is told with the remedy and without the token', async () => {
    await withFactory(kubeConfigOf(server.access, { token: 'wrong-token' }), async (factory) => {
      const follower = new Follower(factory, CONFIG_MAPS);
      factory.start().catch(() => {});
      await until('it was refused twice', () => follower.errors.length >= 2, LIMIT_MS);

      const [first, second] = follower.errors;
      assert.deepEqual([first!.code, first!.status, first!.retryInMs], ['unauthorized', 401, 0]);
      assert.ok(second!.retryInMs! > 0);
      assert.match(first!.message, /check that the credentials are valid/);
      for (const { message } of follower.errors) assert.doesNotMatch(message, /wrong-token/);
    });
  });

  it('that may list one resource and not another hold up only the other one', async () => {
    const namespace = await newNamespace(server.api);
    await letGuestRead(server, namespace, 'configmaps');
    await withFactory(kubeConfigOf(server.access, { token: GUEST.token }), async (factory) => {
      const allowed = new Follower(factory, { ...CONFIG_MAPS, namespace });
      const denied = new Follower(factory, { ...SECRETS, namespace });
      const elsewhere = new Follower(factory, CONFIG_MAPS);
      factory.start().catch(() => {});
      await allowed.informer.synced;
      await until(
        'the others were refused',
        () => denied.errors.length + elsewhere.errors.length >= 2,
        LIMIT_MS,
      );
      await server.api.create(collectionPath({ ...CONFIG_MAPS, namespace }), { metadata: { name: 'a' } });
      await allowed.settled(server.api);

      assert.deepEqual(allowed.errors, []);
      for (const { errors, informer } of [denied, elsewhere]) {
        assert.deepEqual([errors[0]!.code, errors[0]!.status], ['forbidden', 403]);
        assert.match(
          errors[0]!.message,
          /User "guest" cannot list resource .*; grant the verbs list and watch/,
        );
        assert.ok(errors[0]!.retryInMs! >= 60_000);
        assert.equal(informer.hasSynced, false);
      }
    });
  });

  it('of a token file that is rotated before and after the server forgets the old token', async () => {
    const resource = { ...CONFIG_MAPS, namespace: await newNamespace(server.api) };
    const path = collectionPath(resource);
    const folder = await mkdtemp(join(tmpdir(), 'kubering-token-'));
    const tokenFile = join(folder, 'token');
    const rotateServer = async (token: string) => {
      await server.control.setTokens([ADMIN, GUEST, { ...ADMIN, token }]);
      await server.control.killApiServer();
      await server.control.startApiServer();
    };
    try {
      await rotateServer('first-token');
      await writeFile(tokenFile, 'first-token\n');
      // As in a Pod: the KubeConfig of `loadFromCluster` names its token's file so.
      const authProvider = { name: 'tokenFile', config: { tokenFile } };
      await withFactory(kubeConfigOf(server.access, { authProvider }), async (factory) => {
        const follower = new Follower(factory, resource);
        await factory.start();
        await server.api.create(path, { metadata: { name: 'a' } });
        await follower.settled(server.api);

        await writeFile(tokenFile, 'second-token\n');
        await rotateServer('second-token');
        await server.api.create(path, { metadata: { name: 'b' } });
        await follower.settled(server.api);

        await rotateServer('third-token');
        await until('it was refused', () => follower.errors.some(({ status }) => status === 401), LIMIT_MS);
        await writeFile(tokenFile, 'third-token\n');
        await server.api.create(path, { metadata: { name: 'c' } });
        await follower.settled(server.api);

        assert.deepEqual(follower.story, ['add a', 'add b', 'add c']);
        for (const { message } of follower.errors) assert.doesNotMatch(message, /(first|second|third)-token/);
      });
    } finally {
      await rm(folder, { recursive: true });
      await server.control.setTokens([ADMIN, GUEST]);
    }
  });

  it('of a service account work until the account is gone', async () => {
    const namespace = await newNamespace(server.api);
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await server.api.create(account, { metadata: { name: 'robot' } });
    await letRead(server, namespace, 'configmaps', {
      kind: 'ServiceAccount',
      name: 'robot',
      namespace,
    });
    const { status } = await server.api.create(`${account}/robot/token`, {
      spec: { expirationSeconds: 600 },
    });
    // The API server looks at a token when a watch begins, and remembers for some seconds that it was good.
    const rewrite = (path: string) => path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=1');
    const relay = await Relay.start(server.access, { rewrite });
    try {
      await withFactory(kubeConfigOf(relay, { token: status.token }), async (factory) => {
        const follower = new Follower(factory, { ...CONFIG_MAPS, namespace });
        await factory.start();
        await follower.settled(server.api);
        await server.api.delete(`${account}/robot`);
        await until('it was refused', () => follower.errors.some((error) => error.status === 401), LIMIT_MS);

        assert.equal(follower.informer.hasSynced, true);
        assert.equal(follower.informer.health().degraded, true);
      });
    } finally {
      await relay.stop();
    }
  });
});

function userOf({ cert, key }: Identity) {
  return { certData: Buffer.from(cert).toString('base64'), keyData: Buffer.from(key).toString('base64') };
}

function letGuestRead(server: RealServer, namespace: string, resource: string): Promise<void> {
  return letRead(server, namespace, resource, { kind: 'User', name: GUEST.user });
}

/** Lets somebody list and watch one resource of one namespace, and waits until the API server knows. */
async function letRead(
  server: RealServer,
  namespace: string,
  resource: string,
  subject: { kind: string; name: string; namespace?: string },
): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await server.api.create(`${path}/roles`, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: [resource], verbs: ['list', 'watch'] }],
  });
  await server.api.create(`${path}/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [subject],
  });
  const user = subject.kind === 'User' ? subject.name : `system:serviceaccount:${namespace}:${subject.name}`;
  const question = { spec: { user, resourceAttributes: { namespace, resource, verb: 'list' } } };
  const review = () => server.api.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', question);
  while (!(await review()).status.allowed) await new Promise((resolve) => setTimeout(resolve, 50));
}
