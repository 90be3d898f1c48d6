/** etcd and kube-apiserver on loopback, with everything that they need in one temporary folder. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { Authority, EXPIRED, type Identity } from '../../transport/certificates.ts';
import type { Programs } from './build.ts';
import type { ClusterAccess, UserToken } from './cluster-access.ts';
import { Connection } from './connection.ts';
import { freePorts } from './free-ports.ts';
import { ServerProcess } from './server-process.ts';

/** On two busy processors the API server needs some fifteen seconds. */
const READY_LIMIT_MS = 120_000;
const READY_INTERVAL_MS = 200;

/** Its lists and watches come from etcd: pages are honoured at resourceVersion 0, and etcd's compaction is felt. */
const UNCACHED = 'secrets';

export class Cluster {
  readonly access: ClusterAccess;
  readonly #programs: Programs;
  readonly #folder: string;
  readonly #etcdUrl: string;
  readonly #peerUrl: string;
  #etcd: ServerProcess | undefined;
  #apiServer: ServerProcess | undefined;

  private constructor(programs: Programs, folder: string, access: ClusterAccess, ports: readonly number[]) {
    this.#programs = programs;
    this.#folder = folder;
    this.access = access;
    this.#etcdUrl = `http://127.0.0.1:${ports[1]}`;
    this.#peerUrl = `http://127.0.0.1:${ports[2]}`;
  }

  static async start(programs: Programs, tokens: readonly UserToken[]): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'kubering-conformance-'));
    const ports = await freePorts(3);
    const authority = await Authority.create('kubering conformance');
    const other = await Authority.create('somebody else');
    const server = await authority.issue('kube-apiserver', { isServer: true });
    const owner = { organization: 'system:masters' };
    const access: ClusterAccess = {
      url: `https://127.0.0.1:${ports[0]}`,
      ca: authority.cert,
      otherCa: other.cert,
      client: await authority.issue('certified', owner),
      stranger: await other.issue('certified', owner),
      expired: await authority.issue('certified', { ...owner, ...EXPIRED }),
      tokens,
    };
    const cluster = new Cluster(programs, folder, access, ports);
    try {
      await cluster.#writeKeys(server);
      await cluster.setTokens(tokens);
      cluster.#startEtcd();
      await cluster.startApiServer();
    } catch (error) {
      console.error(cluster.logTails);
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Starts the API server where it was, and waits until it is ready. */
  async startApiServer(): Promise<void> {
    const { port } = new URL(this.access.url);
    const file = (name: string) => join(this.#folder, name);
    const args = [
      `--etcd-servers=${this.#etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      `--watch-cache-sizes=${UNCACHED}#0`,
      // Tests say when history is forgotten.
      '--etcd-compaction-interval=0',
      `--token-auth-file=${file('tokens.csv')}`,
      `--client-ca-file=${file('ca.pem')}`,
      `--tls-cert-file=${file('server.pem')}`,
      `--tls-private-key-file=${file('server.key.pem')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${file('service-account.pem')}`,
      `--service-account-signing-key-file=${file('service-account.key.pem')}`,
    ];
    this.#apiServer = this.#start('kube-apiserver', this.#programs.kubeApiServer, args);
    await this.#apiServerIsReady(this.#apiServer);
  }

  /** Mends what a failed test may have left broken. */
  async restore(): Promise<void> {
    this.resumeEtcd();
    if (this.#apiServer?.isRunning !== true) await this.startApiServer();
  }

  /** As a crash. All connections are reset. */
  async killApiServer(): Promise<void> {
    await this.#apiServer?.kill();
  }

  /** Etcd stands still, its connections stay. */
  pauseEtcd(): void {
    this.#etcd?.signal('SIGSTOP');
  }

  resumeEtcd(): void {
    this.#etcd?.signal('SIGCONT');
  }

  /** Etcd forgets the history up to now. @returns the revision, which is a resourceVersion */
  async compact(): Promise<string> {
    const range = await this.#callEtcd('kv/range', { key: Buffer.from('/').toString('base64') });
    const { revision } = (range as { header: { revision: string } }).header;
    await this.#callEtcd('kv/compaction', { revision, physical: true });
    return revision;
  }

  /** The API server reads them when it starts. */
  async setTokens(tokens: readonly UserToken[]): Promise<void> {
    const lines = tokens.map(({ token, user, groups }) => `${token},${user},${user},"${groups.join(',')}"`);
    await this.keep('tokens.csv', `${lines.join('\n')}\n`);
  }

  /** Writes a file that goes when the cluster goes. @returns its path */
  async keep(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  /** For people, when something failed. */
  get logTails(): string {
    return [this.#etcd, this.#apiServer].map((server) => server?.logTail ?? '').join('\n');
  }

  /** Ends both, and leaves nothing behind. */
  async stop(): Promise<void> {
    await this.#apiServer?.end();
    await this.#etcd?.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #startEtcd(): void {
    const args = [
      `--data-dir=${join(this.#folder, 'etcd')}`,
      `--listen-client-urls=${this.#etcdUrl}`,
      `--advertise-client-urls=${this.#etcdUrl}`,
      `--listen-peer-urls=${this.#peerUrl}`,
      `--initial-advertise-peer-urls=${this.#peerUrl}`,
      `--initial-cluster=default=${this.#peerUrl}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ];
    this.#etcd = this.#start('etcd', this.#programs.etcd, args);
  }

  #start(name: string, program: string, args: readonly string[]): ServerProcess {
    return new ServerProcess(name, program, args, join(this.#folder, `${name}.log`));
  }

  async #apiServerIsReady(server: ServerProcess): Promise<void> {
    const endMs = performance.now() + READY_LIMIT_MS;
    const connection = new Connection({ ...this.access, client: this.access.client });
    try {
      for (;;) {
        if (!server.isRunning) throw new Error(`${server.name} ended while it started\n${server.logTail}`);
        const answer = await connection.send('GET', '/readyz').catch(() => undefined);
        if (answer?.status === 200) return;
        if (performance.now() > endMs) {
          throw new Error(`${server.name} was not ready in ${READY_LIMIT_MS / 1000} s: ${answer?.text}`);
        }
        await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
      }
    } finally {
      await connection.close();
    }
  }

  async #writeKeys(server: Identity): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    await this.keep('ca.pem', this.access.ca);
    await this.keep('server.pem', server.cert);
    await this.keep('server.key.pem', server.key);
    await this.keep('service-account.pem', publicKey);
    await this.keep('service-account.key.pem', privateKey);
  }

  /** Through etcd's HTTP gateway. */
  async #callEtcd(method: string, message: object): Promise<unknown> {
    const { statusCode, body } = await request(`${this.#etcdUrl}/v3/${method}`, {
      method: 'POST',
      body: JSON.stringify(message),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`etcd answered ${statusCode} to ${method}: ${text}`);
    return JSON.parse(text);
  }
}
