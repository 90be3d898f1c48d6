/**
 * A program that has secrets of each kind, uses kubering in all the ways that go wrong, and prints everything that it can
 * get to see. `secrets.test.ts` runs it, and looks for the secrets in what it printed.
 */
import { inspect } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';
import { type InformerError, type SharedInformer, SharedInformerFactory } from '../../../src/index.ts';
import { MetricsRegistry } from '../../../src/metrics/index.ts';
import type { Fault } from '../../../src/testing/index.ts';
import { base64, config, type Parts } from '../../transport/kube-configs.ts';
import { SocksServer } from '../../transport/socks-server.ts';
import { until } from '../until.ts';
import { SECRETS } from './known-secrets.ts';
import { Ward } from './ward.ts';

const SECRET_RESOURCE = { group: '', version: 'v1', resource: 'secrets' };

const ward = await Ward.open();
const { cert, key } = await ward.clientCa.issue('ann');
const proxy = await SocksServer.start(ward.gate.port, { account: 'ann:another' });
const httpProxy = `http://ann:${SECRETS.proxyPassword}@127.0.0.1:${ward.gate.port}`;

/** Credentials of all kinds: they work, are refused, or can't be had. */
const SITUATIONS: Record<string, () => Parts> = {
  token: () => ward.parts({ user: { token: SECRETS.token } }),
  tokenThatNoHeaderHolds: () => ward.parts({ user: { token: `${SECRETS.token}\n${SECRETS.token}` } }),
  tokenFile: () => ward.parts({ user: { tokenFile: ward.folder.write('token', SECRETS.token) } }),
  basic: () => ward.parts({ user: { username: 'ann', password: SECRETS.password } }),
  clientKey: () => ward.parts({ user: { certData: base64(cert), keyData: base64(key) } }),
  clientKeyThatIsNone: () => ward.parts({ user: { certData: base64(cert), keyData: base64(SECRETS.key) } }),
  exec: () => ward.parts({ user: { exec: plugin(`credential({ token: '${SECRETS.execToken}' });`) } }),
  execThatPrintsNonsense: () =>
    ward.parts({ user: { exec: plugin(`console.log('${SECRETS.execToken} {');`) } }),
  execThatFails: () =>
    ward.parts({ user: { exec: plugin(`console.error(process.env.LOGIN); process.exit(1);`) } }),
  execThatHangs: () =>
    ward.parts({
      user: { exec: plugin(`console.log('${SECRETS.execToken}'); setInterval(() => {}, 1e3);`) },
    }),
  oidc: () => ward.parts({ user: { authProvider: { name: 'oidc', config: oidc() } } }),
  serverWithPassword: () => ({ cluster: { server: `ftp://ann:${SECRETS.password}@127.0.0.1` } }),
  httpProxy: () => ward.parts({ cluster: { server: ward.gate.url, proxyUrl: httpProxy } }),
  noProxy: () =>
    ward.parts({
      cluster: { server: ward.gate.url, proxyUrl: `ftp://ann:${SECRETS.proxyPassword}@127.0.0.1` },
    }),
  socksProxy: () =>
    ward.parts({
      cluster: {
        server: ward.gate.url,
        proxyUrl: `socks5://ann:${SECRETS.proxyPassword}@127.0.0.1:${proxy.port}`,
      },
    }),
};

/** Secret objects that can't be read as they should. */
const FAULTS: Fault[] = [
  { fault: 'garbage', on: 'watch', afterItems: 1, times: 1 },
  { fault: 'truncated', on: 'watch', afterItems: 1, times: 1 },
  { fault: 'invalid-utf8', on: 'list', afterItems: 0, times: 1 },
  { fault: 'nameless', on: 'list', afterItems: 0, times: 1 },
  { fault: 'cut', on: 'list', afterBytes: 500, times: 1 },
];

process.on('warning', (warning) => console.log('warning', inspect(warning)));
process.on('unhandledRejection', (reason) => console.log('rejection', inspect(reason)));

await showSituations();
for (const [i, fault] of FAULTS.entries()) await showFault(fault, i === FAULTS.length - 1);
proxy.close();
await ward.close();

/** All at once, in one worker: nobody gets in. */
async function showSituations(): Promise<void> {
  const factory = new SharedInformerFactory(config(), { credentialsTimeoutMs: 3000 });
  ward.gate.admits = () => false;
  const watched = Object.entries(SITUATIONS).map(([name, parts]) => watch(name, factory, config(parts())));
  factory.start().catch((error) => console.log('start', inspect(error)));
  await until('each told an error', () => watched.every(({ errors }) => errors.length > 0));
  for (const one of watched) print(one);
  await factory.stop();
  for (const one of watched) print(one);
  ward.gate.admits = () => true;
}

async function showFault(fault: Fault, isLast: boolean): Promise<void> {
  const factory = new SharedInformerFactory(config(ward.parts({ user: { token: SECRETS.token } })));
  const watched = watch(fault.fault, factory);
  const { informer, errors } = watched;
  createSecret(`before-${fault.fault}`);
  ward.gate.api.faults.add(fault);
  await factory.start();
  // One that comes as it is, one that the fault may hit, and one behind it.
  for (const when of ['first', 'second', 'last']) createSecret(`${when}-${fault.fault}`);
  await until('the last change was seen', () => informer.lister.has(`default/last-${fault.fault}`), 20_000);
  await until('an error was told', () => errors.some(({ code }) => code !== 'handler-failed'));
  if (isLast) {
    await factory.fleet?.kill();
    await until('the worker was lost', () => errors.some(({ code }) => code === 'worker-lost'));
  }
  print(watched);
  await factory.stop();
  print(watched);
}

interface Watched {
  readonly name: string;
  readonly factory: SharedInformerFactory;
  readonly informer: SharedInformer;
  readonly errors: InformerError[];
}

function watch(name: string, factory: SharedInformerFactory, kubeConfig?: KubeConfig): Watched {
  const options = { indexers: { byType: 'type' }, ...(kubeConfig !== undefined && { kubeConfig }) };
  const informer = factory.informerFor(SECRET_RESOURCE, options);
  const errors: InformerError[] = [];
  informer.on('error', (error) => errors.push(error));
  informer.addEventHandler({
    onAdd() {
      throw new Error('a handler of a user fails');
    },
  });
  return { name, factory, informer, errors };
}

function print({ name, factory, informer, errors }: Watched): void {
  const all = { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null } as const;
  console.log(`== ${name}: ${errors.map(({ code }) => code).join(', ')}`);
  for (const error of errors) {
    console.log(error.message, error.stack, error.cause, JSON.stringify(error), inspect(error, all));
  }
  const metrics = new MetricsRegistry();
  metrics.addFactory(factory);
  console.log(inspect(informer.health(), all), inspect(informer.stats, all), inspect(factory.stats, all));
  console.log(inspect(metrics.collect(), all));
  console.log(inspect(factory, all), inspect(informer, all), inspect(informer.lister, all));
}

function createSecret(name: string): void {
  const data = { password: base64(SECRETS.content) };
  ward.gate.api.create('secrets', { metadata: { name, namespace: 'default' }, type: 'Opaque', data });
}

function plugin(script: string): Record<string, unknown> {
  const { exec } = ward.folder.plugin(script);
  return { ...exec, env: [{ name: 'LOGIN', value: SECRETS.execEnvironment }] };
}

function oidc(): Record<string, string> {
  return {
    'client-id': 'app',
    'client-secret': SECRETS.oidc,
    'idp-issuer-url': ward.gate.url,
    'idp-certificate-authority-data': base64(ward.serverCa.cert),
    'refresh-token': SECRETS.oidc,
  };
}
