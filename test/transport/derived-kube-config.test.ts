import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KubeConfig, type SecurityAuthentication, type User } from '@kubernetes/client-node';
import { Authority, type Identity } from './certificates.ts';
import { base64, config, Folder, source } from './kube-configs.ts';

const folder = new Folder();
let ca: string;
let client: Identity;

before(async () => {
  const authority = await Authority.create('kubering test');
  ca = authority.cert;
  client = await authority.issue('ann');
});

after(() => folder.remove());

type RequestContext = Parameters<SecurityAuthentication['applySecurityAuthentication']>[0];

/** A KubeConfig as somebody may derive it, with fields that no other object has. */
class RotatingConfig extends KubeConfig {
  #count = 0;

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    context.setHeaderParam('Authorization', `Bearer ${++this.#count}`);
  }
}

class VaultConfig extends KubeConfig {
  readonly #user: User = { name: 'vault', token: 'of the vault' };

  override getCurrentUser(): User {
    return this.#user;
  }
}

describe('a class derived from KubeConfig', () => {
  it('with private fields has its say, and TLS material besides', async () => {
    const cluster = { caData: base64(ca) };
    const user = { certData: base64(client.cert), keyData: base64(client.key) };
    const asked = source(config({ cluster, user }, new RotatingConfig()));
    const infos = [await asked.read({}), await asked.read({})];

    assert.deepEqual(
      infos.map(({ headers }) => headers.Authorization),
      ['Bearer 1', 'Bearer 2'],
    );
    assert.deepEqual(infos[1]!.tls, { ca, ...client });
  });

  it('may say who the user is', async () => {
    const { headers, names } = await source(config({}, new VaultConfig())).read({});

    assert.deepEqual([headers.Authorization, names], ['Bearer of the vault', 'cluster test, user vault']);
  });

  it('wins over the token file of its entry', async () => {
    const user = { tokenFile: folder.write('token', 'of the file') };
    const { headers } = await source(config({ user }, new RotatingConfig())).read({});

    assert.equal(headers.Authorization, 'Bearer 1');
  });
});

describe('an authenticator that was added to a KubeConfig', () => {
  it('is asked each time, for headers and certificates', async () => {
    const kubeConfig = config({ user: { authProvider: { name: 'mine' } } });
    let asked = 0;
    kubeConfig.addAuthenticator({
      isAuthProvider: (user) => user.authProvider?.name === 'mine',
      async applyAuthentication(_user, options) {
        Object.assign(options.headers!, { Authorization: `Custom ${++asked}` });
        Object.assign(options, { cert: [client.cert], key: client.key });
      },
    });
    const mine = source(kubeConfig);
    await mine.read({});

    const { headers, tls } = await mine.read({});
    assert.deepEqual([headers.Authorization, tls.cert], ['Custom 2', client.cert]);
  });

  it('that fails is told without what looks like a secret', async () => {
    const kubeConfig = config({ user: { authProvider: { name: 'mine' }, password: 'sesame' } });
    kubeConfig.addAuthenticator({
      isAuthProvider: () => true,
      applyAuthentication: () => Promise.reject(new Error('vault: sesame, token=abc, was refused')),
    });

    await assert.rejects(source(kubeConfig).read({}), {
      code: 'credentials-failed',
      message:
        /vault: \[redacted\], token=\[redacted\] was refused; see its user entry \(cluster test, user ann\)$/,
    });
  });
});

describe('a KubeConfig that is asked for credentials', () => {
  it('is left as it was', async () => {
    const kubeConfig = config({ user: { token: 't' } });
    const before = Object.getOwnPropertyNames(kubeConfig);
    await source(kubeConfig).read({ refresh: true });

    assert.deepEqual(Object.getOwnPropertyNames(kubeConfig), before);
  });

  it('can be used by others meanwhile', async () => {
    const kubeConfig = config({ cluster: { caData: base64(ca) }, user: { token: 't' } });
    const dispatchers: unknown[] = [];
    const context = {
      setHeaderParam() {},
      setDispatcher: (dispatcher: unknown) => dispatchers.push(dispatcher),
    } as unknown as RequestContext;
    const asked = [source(kubeConfig), source(kubeConfig)];
    const [, first, second] = await Promise.all([
      kubeConfig.applySecurityAuthentication(context),
      ...asked.map((one) => one.read({})),
    ]);

    assert.deepEqual([first!.tls, second!.tls], [{ ca }, { ca }]);
    const [dispatcher] = dispatchers as { destroyed: boolean; destroy(): Promise<void> }[];
    assert.equal(dispatcher!.destroyed, false);
    await dispatcher!.destroy();
    assert.equal(Object.hasOwn(kubeConfig, 'createDispatcher'), false);
  });
});
