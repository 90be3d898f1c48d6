/**
 * The walk that articles about informers take: a Pod `demo` is deleted, and the test goes with that event from the
 * watch to the handlers, one station after the other.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DeltaFIFO } from '../../src/delta/index.ts';
import { Harness, thing } from './harness.ts';

interface Pod {
  key: string;
  node: string;
}

it('a Pod `demo` is deleted: watch event, DeltaFIFO, Indexer, handlers', async () => {
  // The Reflector has listed one Pod. The informer's store has it, also under the node that it runs on.
  const harness = new Harness();
  const { informer } = harness;
  const told: string[] = [];
  informer.addEventHandler({
    onAdd: (pod) => void told.push(`${pod.metadata.name} was added`),
    onDelete(pod) {
      const isInStore = informer.lister.has('default/demo');
      told.push(
        `${'metadata' in pod && pod.metadata.name} was deleted, ${isInStore ? 'still' : 'no longer'} in the store`,
      );
    },
  });
  harness.list([thing('default/demo', 100, { node: 'n1' })], '100');
  harness.work();
  assert.deepEqual(informer.lister.indexKeys('node', 'n1'), ['default/demo']);
  assert.deepEqual(told, ['demo was added']);

  // 1. The watch brings DELETED. The reflector's worker has put it on the ring, and the pump pushes it as a delta.
  harness.deleted(thing('default/demo', 105, { node: 'n1' }));

  // 2. It waits in the DeltaFIFO. The Indexer still has the Pod, and nobody was told.
  assert.equal(informer.stats.queued, 1);
  assert.equal(informer.lister.has('default/demo'), true);
  assert.deepEqual(told, ['demo was added']);

  // 3. handleDeltas pops it, and takes the Pod out of the Indexer, with its index entries. Then
  // 4. distribute gives it to the handlers, with its last state.
  harness.work();
  assert.equal(informer.stats.queued, 0);
  assert.equal(informer.lister.get('default/demo'), undefined);
  assert.deepEqual(informer.lister.indexKeys('node', 'n1'), []);
  assert.deepEqual(told, ['demo was added', 'demo was deleted, no longer in the store']);

  // 5. The store is at the version of the deletion, and the memory of the Pod was given back.
  assert.equal(informer.lister.resourceVersion, '105');
  assert.equal(harness.live.size, 0);
});

it('the same with a DeltaFIFO of one’s own, a Map as the Indexer, and a loop as the controller', async () => {
  const indexer = new Map<string, Pod>();
  const fifo = new DeltaFIFO<Pod>({
    keyOf: (pod) => pod.key,
    known: { keys: () => indexer.keys(), get: (key) => indexer.get(key) },
  });
  const told: string[] = [];

  fifo.replace([{ key: 'default/demo', node: 'n1' }]);
  fifo.delete({ key: 'default/demo', node: 'n1' });
  fifo.close();
  assert.deepEqual(fifo.listKeys(), ['default/demo']);

  const handleDeltas = async () => {
    for (;;) {
      await fifo.pop(({ type, object }, isInitial) => {
        if (type === 'Deleted') indexer.delete(object.key);
        else indexer.set(object.key, object);
        told.push(`${type} ${object.key}${isInitial ? ' (initial)' : ''}, ${indexer.size} in the store`);
      });
    }
  };
  await assert.rejects(handleDeltas, { code: 'KUBERING_FIFO_CLOSED' });

  assert.deepEqual(told, [
    'Replaced default/demo (initial), 1 in the store',
    'Deleted default/demo, 0 in the store',
  ]);
});
