import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { nameOf, same } from './libraries.ts';

describe('as client-node, an informer that is interrupted', { concurrency: 4 }, () => {
  same(
    'goes on after the server ended the watch, without an error',
    ['add default/a@1001', 'add default/b@1002', 'update default/a@1003'],
    async (run) => {
      run.create('a');
      await run.follow().start();
      run.create('b');
      await run.told(2);
      run.server.closeWatches();
      run.update('a');
      await run.told(3);
    },
  );

  for (const tooOldAs of ['event', 'status'] as const) {
    same(
      `lists again when its version expired, told as ${tooOldAs}, without an error, and tells only what changed`,
      ['add default/a@1001', 'add default/b@1002', 'add default/c@1003', 'change'],
      async (run) => {
        for (const name of ['a', 'b', 'c']) run.create(name);
        const informer = run.follow();
        await informer.start();
        run.server.faults.add({ fault: 'status', on: 'watch', code: 410, times: 1 });
        run.server.closeWatches();
        run.update('a');
        run.delete('b');
        run.server.compact();
        await run.told(5);
        // A list says what changed, not in which order.
        assert.deepEqual(run.log.splice(3).sort(), ['delete default/b@1002', 'update default/a@1004']);
        run.log.push('change');
        assert.deepEqual(informer.list().map(nameOf).sort(), ['default/a@1004', 'default/c@1003']);
      },
      { server: { tooOldAs } },
    );
  }

  same(
    'tells nothing while it is stopped, and can be read',
    ['add default/a@1001', 'a@1001', '1', '1001', 'end'],
    async (run) => {
      run.create('a');
      const informer = run.follow();
      await informer.start();
      await informer.stop();
      run.log.splice(1);
      run.update('a');
      run.create('b');
      const { name, resourceVersion } = informer.get('a', 'default')?.metadata ?? {};
      run.log.push(`${name}@${resourceVersion}`, String(informer.list('default').length));
      run.log.push(informer.latestResourceVersion(), 'end');
    },
  );

  same(
    'goes on after stop() and start() where it was',
    ['add default/a@1001', 'add default/b@1002', 'add default/c@1003', 'changes', 'add default/e@1007'],
    async (run) => {
      for (const name of ['a', 'b', 'c']) run.create(name);
      const informer = run.follow();
      await informer.start();
      await informer.stop();
      run.log.splice(3);
      run.update('a');
      run.delete('b');
      run.create('d');
      await informer.start();
      await run.told(6);
      assert.deepEqual(run.log.splice(3).map(withoutVersion).sort(), [
        'add default/d',
        'delete default/b',
        'update default/a',
      ]);
      run.log.push('changes');
      run.create('e');
      await run.told(5);
      assert.deepEqual(informer.list().map(nameOf).sort(), [
        'default/a@1004',
        'default/c@1003',
        'default/d@1006',
        'default/e@1007',
      ]);
    },
  );

  same(
    'resolves start() after a failed list too, with an error',
    ['error 503', 'started', 'add default/a@1001'],
    async (run) => {
      run.create('a');
      const informer = run.follow();
      const fault = run.server.faults.add({ fault: 'status', on: 'list', code: 503 });
      await informer.start();
      run.log.push('started');
      run.server.faults.remove(fault);
      await informer.start();
      await run.told(3);
    },
  );

  same(
    'comes back when error calls start(), as is usual',
    ['add default/a@1001', 'error 503', 'add default/b@1002', 'update default/a@1003'],
    async (run) => {
      run.create('a');
      const informer = run.follow();
      run.onError(informer, () => void informer.start());
      await informer.start();
      run.server.faults.add({ fault: 'status', on: 'watch', code: 503, times: 1 });
      run.server.closeWatches();
      await run.told(2);
      await run.watchIsOpen();
      run.create('b');
      run.update('a');
      await run.told(4);
      assert.equal(run.server.stats.openWatches, 1);
    },
  );
});

/** After a stop, a list may tell what a watch tells: the version of a delete is then that of the last state. */
function withoutVersion(line: string): string {
  return line.replace(/@.*/, '');
}
