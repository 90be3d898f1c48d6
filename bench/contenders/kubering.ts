/** kubering, with defaults but for what the workload asks for. */
import type { KubeConfig, V1Pod } from '@kubernetes/client-node';
import { drop, type Handler, SharedInformerFactory } from '../../src/index.ts';
import type { Tally } from '../tally.ts';
import type { Contender, Workload } from './contender.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

export function makeKubering(kubeConfig: KubeConfig, workload: Workload, tally: Tally): Contender {
  const factory = new SharedInformerFactory(kubeConfig);
  const project = { project: drop('metadata.managedFields') };
  const pods = factory.informerFor<V1Pod>(PODS, workload === 'decode-drop' ? project : {});
  const errors: string[] = [];
  pods.on('error', (error) => errors.push(error.message));
  const registration = pods.addEventHandler(handlerFor(workload, tally));

  return {
    async start() {
      await factory.start();
      await registration.synced;
      await tally.listed;
    },
    *cached() {
      for (const ref of pods.lister.refs()) yield [ref.key, ref.resourceVersion] as const;
    },
    get merged() {
      return registration.laps;
    },
    get decoded() {
      return pods.stats.decoded;
    },
    get sharedBytes() {
      return factory.stats.sharedBytes;
    },
    errors,
    stop: () => factory.stop(),
  };
}

function handlerFor(workload: Workload, tally: Tally): Handler<V1Pod> {
  if (workload === 'keys') return readKeys(tally);
  return workload === 'decode-new' ? readNewObjects(tally) : readObjects(tally);
}

function readKeys(tally: Tally): Handler<V1Pod> {
  return {
    onEvent(event) {
      if (event.type === 'update') tally.updatedKey(event.key);
      else if (event.type === 'add') tally.addedKey(event.key);
      else tally.deleted();
    },
  };
}

/** Decodes what client-node's handlers get, and no more. */
function readNewObjects(tally: Tally): Handler<V1Pod> {
  return {
    onEvent(event) {
      if (event.type === 'update') tally.updatedObject(event.object);
      else if (event.type === 'add') tally.addedObject(event.object);
      else tally.deleted();
    },
  };
}

/** Gets the object before an update as well, which client-node's handlers do not. */
function readObjects(tally: Tally): Handler<V1Pod> {
  return {
    onAdd: (pod) => tally.addedObject(pod),
    onUpdate: (_before, after) => tally.updatedObject(after),
    onDelete: () => tally.deleted(),
  };
}
