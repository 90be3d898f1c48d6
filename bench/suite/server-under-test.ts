/** The server that a sample is taken on: the benchmark server, or a real one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_CA_CERT } from '../../src/testing/tls-fixture.ts';
import {
  type BenchResource,
  BenchServerProcess,
  type ChurnOrder,
  type ChurnResult,
  resourceOf,
  type Truth,
} from '../server/index.ts';
import type { Task } from './scenarios.ts';

export interface ServerUnderTest {
  readonly url: string;
  readonly token: string;
  /** Path of the authority that signed the server's certificate, with https. */
  readonly caFile?: string;
  readonly resources: readonly BenchResource[];
  truth(): Promise<Pick<Truth, 'objects' | 'hash'>>;
  usage(): Promise<{ openWatches: number; cpuMs: number }>;
  churn(order: ChurnOrder): Promise<ChurnResult>;
  expire(): Promise<number>;
  writeSendTimes(path: string): Promise<void>;
  stop(): Promise<void>;
}

/** Not checked by the benchmark server. */
const TOKEN = 'bench-token';

/** Of the events of a mix, one in five creates an object; those that went may come back. */
const EVENTS_PER_SPARE = 10;

/** A fresh benchmark server in a process of its own. @param port - 0 for any that is free */
export async function openBenchServer(task: Task, port: number): Promise<ServerUnderTest> {
  const { objectKind: kind, objects, resources: count, seed, transport, churn } = task;
  const tls = transport === 'https';
  const spare = churn?.mix === 'mixed' ? Math.ceil(churn.events / EVENTS_PER_SPARE) : 0;
  const server = await BenchServerProcess.start({ kind, objects, resources: count, spare, seed, tls, port });
  const folder = tls ? mkdtempSync(join(tmpdir(), 'kubering-bench-ca-')) : undefined;
  const caFile = folder && join(folder, 'ca.pem');
  if (caFile !== undefined) writeFileSync(caFile, TEST_CA_CERT);
  return {
    url: server.url,
    token: TOKEN,
    ...(caFile !== undefined && { caFile }),
    resources: Array.from({ length: count }, (_, index) => resourceOf(kind, index)),
    truth: () => server.truth(),
    usage: () => server.usage(),
    churn: (order) => server.churn(order),
    expire: () => server.expire(),
    writeSendTimes: (path) => server.writeSendTimes(path),
    async stop() {
      await server.stop();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
