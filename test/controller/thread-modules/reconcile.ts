/** Does what the name of the key says. */
import { threadId } from 'node:worker_threads';
import { type ReconcileFunction, TerminalError } from '../../../src/controller/index.ts';

/** What the test gives in place of a lister. */
interface Log {
  /** The number of calls, and then the thread of each. */
  readonly calls: Int32Array;
}

export const reconcile: ReconcileFunction = async ({ name }, context) => {
  const { calls } = context.lister as unknown as Log;
  calls[Atomics.add(calls, 0, 1) + 1] = threadId;
  switch (name.replace(/-.*/, '')) {
    case 'later':
      return context.requeueAfter(60_000);
    case 'fail':
      throw Object.assign(new RangeError('the name says so'), { code: 'E_NAME', extra: () => {} });
    case 'terminal':
      throw new TerminalError('never');
    case 'nothing':
      throw undefined;
    case 'write':
      context.recordWrite({ group: '', version: 'v1', resource: 'things' }, {
        metadata: { namespace: 'ns', name, resourceVersion: '150' },
        spec: { more: () => {} },
      } as never);
      return undefined;
    case 'listen':
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      throw context.signal.reason;
    case 'spin':
      for (;;);
    case 'exit':
      return context.attempt === 1 ? process.exit(3) : undefined;
    case 'crash':
      if (context.attempt > 1) return undefined;
      setImmediate(() => {
        throw new Error('nobody catches this');
      });
      return new Promise(() => {});
    default:
      if (context.listers.others === undefined) throw new Error('there is no lister of others');
      return undefined;
  }
};
