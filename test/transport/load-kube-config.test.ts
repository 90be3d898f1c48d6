import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { loadKubeConfig } from '../../src/transport/index.ts';
import { Folder, source } from './kube-configs.ts';

const folder = new Folder();
const kept = { ...process.env };
after(() => folder.remove());
beforeEach(() => {
  delete process.env.KUBECONFIG;
});
afterEach(() => {
  process.env = { ...kept };
});

const CONFIG = `
apiVersion: v1
kind: Config
current-context: main
clusters:
- name: prod
  cluster:
    server: https://prod.example.com
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: { audience: prod }
contexts:
- { name: main, context: { cluster: prod, user: bot } }
- { name: help, context: { cluster: prod, user: support } }
- { name: cloud, context: { cluster: prod, user: cloud } }
users:
- name: bot
  user: { tokenFile: secrets/token }
- name: support
  user: { token: t0, as: jane, as-groups: [dev, ops], as-uid: u1, as-user-extra: { reason: [call] } }
- name: cloud
  user:
    exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, provideClusterInfo: true }
`;

describe('loadKubeConfig', () => {
  it('keeps a token file, relative to the kubeconfig', async () => {
    const kubeConfig = loadKubeConfig({ file: folder.write('config', CONFIG) });
    const user = kubeConfig.getCurrentUser() as unknown as { tokenFile: string };

    assert.equal(user.tokenFile, `${folder.path}/secrets/token`);
  });

  it('drops what client-node read of a token file once', async () => {
    const tokenFile = folder.write('token', 'first');
    const text = CONFIG.replace('tokenFile: secrets/token', `token-file: ${tokenFile}`);
    const asked = source(loadKubeConfig({ file: folder.write('config', text) }));
    folder.write('token', 'second one');

    assert.equal((await asked.read({})).headers.Authorization, 'Bearer second one');
  });

  it('takes a context, and keeps all of who is impersonated', async () => {
    const file = folder.write('config', CONFIG);
    const { headers } = await source(loadKubeConfig({ file, context: 'help' })).read({});

    assert.deepEqual(headers, {
      Authorization: 'Bearer t0',
      'Impersonate-User': 'jane',
      'Impersonate-Group': ['dev', 'ops'],
      'Impersonate-Uid': 'u1',
      'Impersonate-Extra-reason': ['call'],
    });
  });

  it('keeps what a plugin wants, relative to the kubeconfig', () => {
    const kubeConfig = loadKubeConfig({ file: folder.write('config', CONFIG), context: 'cloud' });
    const { extensions } = kubeConfig.getCurrentCluster() as unknown as { extensions: unknown };

    assert.equal(kubeConfig.getCurrentUser()!.exec.command, `${folder.path}/bin/login`);
    assert.deepEqual(extensions, [
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'prod' } },
    ]);
  });

  it('takes the files of KUBECONFIG when none is named', async () => {
    const other = CONFIG.replaceAll('prod', 'dev').replace(/name: (main|help|cloud)/g, 'name: $1-2');
    const renamed = other.replace(/(name|user): (bot|support|cloud)(?=[\n ,}])/g, '$1: $2-2');
    process.env.KUBECONFIG = `${folder.write('config', CONFIG)}:${folder.write('config-2', renamed)}`;
    const kubeConfig = loadKubeConfig({ context: 'help-2' });

    const { headers, names } = await source(kubeConfig).read({});
    assert.equal(names, 'cluster dev, user support-2');
    assert.deepEqual(headers['Impersonate-Group'], ['dev', 'ops']);
  });

  it('says which contexts there are', () => {
    const file = folder.write('config', CONFIG);
    assert.throws(() => loadKubeConfig({ file, context: 'gone' }), {
      code: 'no-context',
      message: 'the kubeconfig has no context gone; it has main, help, cloud',
    });
  });

  it('says that a file is not there, or none, without its text', () => {
    assert.throws(() => loadKubeConfig({ file: '/nowhere/config' }), {
      code: 'file-unreadable',
      message: /\/nowhere\/config can't be read/,
    });

    const broken = folder.write('broken', 'users: [\n  { token: s3cret,\n');
    assert.throws(
      () => loadKubeConfig({ file: broken }),
      ({ code, message }: Error & { code: string }) => {
        assert.equal(code, 'bad-kubeconfig');
        assert.match(message, /broken is no kubeconfig: ./);
        assert.doesNotMatch(message, /s3cret/);
        return true;
      },
    );
    const text = folder.write('text', 'hello');
    assert.throws(() => loadKubeConfig({ file: text }), { code: 'bad-kubeconfig' });
  });
});
