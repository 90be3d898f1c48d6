import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { Authority, type Identity } from './certificates.ts';
import { idToken, Provider } from './identity-provider.ts';
import { base64, config, source } from './kube-configs.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
let ca: string;
let identity: Identity;
let provider: Provider;

before(async () => {
  const authority = await Authority.create('identity provider');
  ca = authority.cert;
  identity = await authority.issue('provider', { isServer: true });
});

afterEach(() => provider.close());

describe('an OIDC user', () => {
  it('uses the id token until half a minute before its end', async () => {
    provider = await Provider.start(identity, NOW);
    const { asked } = user({ 'id-token': idToken(NOW + 31_000) });

    assert.equal((await asked.read({})).headers.Authorization, `Bearer ${idToken(NOW + 31_000)}`);
    assert.deepEqual(provider.grants, []);
  });

  it('renews it then, and keeps the new tokens where client-node finds them', async () => {
    provider = await Provider.start(identity, NOW);
    const { asked, entry, kubeConfig } = user({ 'id-token': idToken(NOW + 29_000) });
    const { headers } = await asked.read({});

    assert.equal(headers.Authorization, `Bearer ${idToken(NOW + 3_600_000)}`);
    assert.equal(entry['refresh-token'], 'refresh-2');
    assert.deepEqual(provider.grants, ['grant_type=refresh_token&refresh_token=refresh-1&client_id=app']);

    const options: { headers?: Record<string, string> } = {};
    await kubeConfig.applyToHTTPSOptions(options);
    assert.equal(options.headers?.Authorization, headers.Authorization);
    assert.equal(provider.grants.length, 1);
  });

  it('renews it when it was refused, and does not otherwise', async () => {
    provider = await Provider.start(identity, NOW);
    const { asked } = user({ 'id-token': idToken(NOW + 3_000_000) });
    await asked.read({});
    await asked.read({ refresh: true });
    await asked.read({});

    assert.equal(provider.grants.length, 1);
  });

  it('proves a client secret as the provider wants it', async () => {
    provider = await Provider.start(identity, NOW);
    await user({ 'client-secret': 's p' }).asked.read({});
    assert.equal(provider.authorization, `Basic ${base64('app:s%20p')}`);
    await provider.close();

    provider = await Provider.start(identity, NOW, {
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
    await user({ 'client-secret': 's p' }).asked.read({});
    assert.match(provider.grants[0]!, /client_id=app&client_secret=s\+p$/);
  });

  const failures: [string, Partial<Provider>, RegExp][] = [
    ['refuses', { status: 400 }, /it can't be renewed|127\.0\.0\.1:\d+ answers 400/],
    ['answers with HTML', { body: '<html>s3cret</html>' }, /answers with something else than JSON/],
    ['gives no id token', { body: '{"access_token":"s3cret"}' }, /gave no id token/],
  ];
  for (const [what, fault, message] of failures) {
    it(`whose provider ${what} is told so, without what it said`, async () => {
      provider = await Provider.start(identity, NOW);
      Object.assign(provider, fault);
      await assert.rejects(user({}).asked.read({}), (error: Error & { code: string }) => {
        assert.equal(error.code, 'oidc-failed');
        assert.match(error.message, message);
        assert.match(error.message, /log in again .*\(cluster test, user ann\)$/);
        assert.doesNotMatch(error.message, /s3cret|refresh-1/);
        return true;
      });
    });
  }

  it('whose provider has an unknown CA is told so', async () => {
    provider = await Provider.start(identity, NOW);
    const { asked } = user({ 'idp-certificate-authority-data': '' });

    await assert.rejects(asked.read({}), {
      code: 'oidc-failed',
      message: /can't be renewed: .*(fetch|certificate)/,
    });
  });

  it('without a refresh token uses what it has, and is told so when that is refused', async () => {
    provider = await Provider.start(identity, NOW);
    const { asked } = user({ 'id-token': idToken(NOW - 1), 'refresh-token': undefined });
    assert.equal((await asked.read({})).headers.Authorization, `Bearer ${idToken(NOW - 1)}`);

    await assert.rejects(asked.read({ refresh: true }), { code: 'oidc-failed', message: /no refresh-token/ });
  });
});

function user(fields: Record<string, string | undefined>) {
  const entry: Record<string, string | undefined> = {
    'client-id': 'app',
    'idp-issuer-url': provider.url,
    'idp-certificate-authority-data': base64(ca),
    'id-token': idToken(NOW),
    'refresh-token': 'refresh-1',
    ...fields,
  };
  const kubeConfig = config({ user: { authProvider: { name: 'oidc', config: entry } } });
  return { kubeConfig, entry, asked: source(kubeConfig, () => NOW) };
}
