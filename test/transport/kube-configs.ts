/** KubeConfigs, files and plugins for tests of credentials. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { CredentialsSource } from '../../src/transport/credentials-source.ts';
import { CredentialsError } from '../../src/transport/index.ts';

export const SERVER = 'https://api.example.com:6443';
export const NAMES = 'cluster test, user ann';

/** Fields of the entries of client-node's KubeConfig, and what kubering reads besides. */
export interface Parts {
  cluster?: Record<string, unknown>;
  user?: Record<string, unknown>;
}

/** A KubeConfig, or one of a derived class, with a cluster `test` and a user `ann`. */
export function config({ cluster = {}, user = {} }: Parts = {}, kubeConfig = new KubeConfig()): KubeConfig {
  kubeConfig.loadFromClusterAndUser(
    { name: 'test', server: SERVER, skipTLSVerify: false, ...cluster },
    { name: 'ann', ...user },
  );
  return kubeConfig;
}

/** A source in which the environment has no proxy, and time stands still unless a test says otherwise. */
export function source(parts: Parts | KubeConfig, now: () => number = Date.now): CredentialsSource {
  const kubeConfig = parts instanceof KubeConfig ? parts : config(parts);
  return new CredentialsSource(kubeConfig, { environment: {}, now });
}

export async function rejects(
  parts: Parts | KubeConfig,
  code: string,
  message: RegExp,
  never?: RegExp,
): Promise<void> {
  await assert.rejects(source(parts).read({}), (error) => {
    assert.ok(error instanceof CredentialsError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    if (never !== undefined) assert.doesNotMatch(`${error.message} ${String(error.cause)}`, never);
    return true;
  });
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A folder that goes with the test file. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'kubering-'));
  #plugins = 0;

  write(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }

  /** A credentials plugin that is a script; it may count its runs with `runs()`. */
  plugin(script: string): Plugin {
    const path = this.write(`plugin-${++this.#plugins}.cjs`, `${PRELUDE}\n${script}`);
    chmodSync(path, 0o700);
    return {
      exec: { command: process.execPath, args: [path] },
      runs: () => linesOf(`${path}.runs`).length,
      infos: () => linesOf(`${path}.runs`).map((line) => JSON.parse(line) as unknown),
    };
  }
}

export interface Plugin {
  readonly exec: Record<string, unknown>;
  runs(): number;
  /** What each run was told. */
  infos(): unknown[];
}

/** Each run notes what it was told; `credential` prints what a plugin prints. */
const PRELUDE = `
const fs = require('node:fs');
const noted = __filename + '.runs';
fs.appendFileSync(noted, process.env.KUBERNETES_EXEC_INFO + '\\n');
const run = fs.readFileSync(noted, 'utf8').trim().split('\\n').length;
const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
function credential(status) {
  console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
}`;

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
