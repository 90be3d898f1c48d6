/**
 * Runs the operator until Ctrl-C, on the cluster that `kubectl` uses:
 *
 *     kubectl apply -f examples/operator/crd.yaml
 *     node examples/operator/main.ts
 *
 * Start it twice, and end the one that leads. In a project of your own, import from 'kubering'.
 */
import { KubeConfig } from '@kubernetes/client-node';
import { SharedInformerFactory } from '../../src/index.ts';
import { websiteOperator } from './operator.ts';

/** Seconds until another one takes over when the leader has vanished. */
const [leaseSeconds = '15'] = process.argv.slice(2);
const leaseDurationMs = Number(leaseSeconds) * 1000;

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());

const factory = new SharedInformerFactory(kubeConfig);
const operator = websiteOperator(kubeConfig, factory, {
  lease: { namespace: 'default', name: 'website-operator' },
  leaseDurationMs,
  renewDeadlineMs: (leaseDurationMs * 2) / 3,
  retryPeriodMs: leaseDurationMs / 8,
  onNewLeader: (leader) => console.log(leader === operator.elector?.identity ? 'leads' : 'stands by'),
  onReconcile: (what, key) => console.log(`${operator.elector?.identity} ${what} ${key}`),
});
operator.on('error', ({ message }) => console.error(`! ${message}`));
try {
  await factory.start({ signal: end.signal });
  await operator.run({ signal: end.signal });
} catch (error) {
  // Whoever lost the lease must not go on, and something else starts the process again.
  if (!end.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
} finally {
  await factory.stop();
}
