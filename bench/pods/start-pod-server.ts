/** Starts the process of `pod-server.ts`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import type { PodSet } from './pod-lines.ts';

export interface PodServer {
  readonly kubeConfig: KubeConfig;
  stop(): void;
}

export async function startPodServer(set: PodSet): Promise<PodServer> {
  const script = fileURLToPath(new URL('./pod-server.ts', import.meta.url));
  const child = fork(script, [JSON.stringify(set)], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'bench', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'bench' },
  );
  return { kubeConfig, stop: () => child.kill() };
}
