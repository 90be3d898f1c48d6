/** Does what a step says. */
import { Random } from '../../src/testing/random.ts';
import type { Step } from './plan.ts';
import type { Replica } from './replica.ts';
import type { World } from './world.ts';

export function takeStep(world: World, step: Step): void {
  const { cluster, loop } = world;
  switch (step.type) {
    case 'write':
      write(world, step);
      break;
    case 'tick':
      cluster.etcd.tick();
      cluster.written();
      break;
    case 'compact':
      cluster.etcd.compact(cluster.etcd.revision - step.kept);
      break;
    case 'forget':
      replicaOf(world, step.replica).forget(step.kept);
      break;
    case 'lag':
      replicaOf(world, step.replica).isFollowing = false;
      break;
    case 'follow': {
      const replica = replicaOf(world, step.replica);
      replica.isFollowing = true;
      replica.catchUp(cluster.etcd.revision);
      break;
    }
    case 'bookmark':
      replicaOf(world, step.replica).bookmark(step.behind);
      break;
    case 'restartServer':
      replicaOf(world, step.replica).restart();
      break;
    case 'requests':
      cluster.requestFaults.push(...step.faults);
      break;
    case 'outage':
      cluster.outage = { untilMs: loop.nowMs + step.ms, fault: step.fault };
      break;
    case 'lines':
      cluster.lineFaults.push(...step.faults);
      break;
    case 'cutWatches':
      cluster.cutWatches(step.bytes, step.cut);
      break;
    case 'endWatches':
      cluster.endWatches();
      break;
    case 'failWatches':
      cluster.failWatches(step.code);
      break;
    case 'expireToken':
      cluster.token++;
      world.failingRefreshes = step.refreshes;
      break;
    case 'jump':
      loop.jump(step.ms);
      break;
    case 'freeze':
      freeze(world, step.thread, step.ms);
      break;
    case 'slow':
      loop.lookMs = step.lookMs;
      break;
    case 'killWorker':
      world.killWorker(step.index);
      break;
    case 'addHandler':
    case 'removeHandler':
    case 'restartInformer':
      changeInformer(world, step);
      break;
  }
}

function write({ cluster }: World, { keys, deletes, seed }: Extract<Step, { type: 'write' }>): void {
  const random = new Random(seed);
  for (const key of keys) {
    if (random.chance(deletes)) cluster.etcd.delete(key);
    else cluster.etcd.put(key, random);
    cluster.written();
  }
}

function freeze({ home, loop, threads }: World, what: 'home' | 'workers', ms: number): void {
  const frozen = what === 'home' ? [home] : threads.running.values();
  for (const thread of frozen) thread.busyUntilMs = Math.max(thread.busyUntilMs, loop.nowMs + ms);
}

function changeInformer(
  world: World,
  step: Extract<Step, { type: 'addHandler' | 'removeHandler' | 'restartInformer' }>,
): void {
  const number = step.informer % world.subjects.length;
  const subject = world.subjects[number]!;
  if (step.type === 'addHandler') {
    world.addFollower(subject, step.handler);
  } else if (step.type === 'removeHandler') {
    const [gone] = subject.followers.splice(step.index % Math.max(1, subject.followers.length), 1);
    void gone?.registration.remove();
  } else {
    world.stopInformer(subject);
    world.startInformer(number, subject.draw);
  }
}

function replicaOf({ cluster }: World, number: number): Replica {
  return cluster.replicas[number % cluster.replicas.length]!;
}
