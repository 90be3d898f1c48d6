/** One run of one contender: a fresh server and a fresh process for it, so that no run sees another's heap. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  FakeApiServer,
  type KubernetesObject,
  type RemoteFakeApiServer,
  type RemoteUsage,
} from '../src/testing/index.ts';
import { type Answer, checksumOf, problemsOf, type Truth } from './answer.ts';
import type { Entrant } from './contenders/index.ts';
import type { Figures } from './figures.ts';
import { type ContenderTask, nextMessage, type ToContender } from './messages.ts';

export interface RunOptions {
  readonly pods: number;
  readonly events: number;
  readonly seed: number;
}

/** One line of the raw results. */
export interface RunResult extends Entrant {
  readonly round: number;
  readonly figures: Figures;
  readonly checksum: string;
  /** What is wrong with the answer; empty when it is right. */
  readonly problems: readonly string[];
}

const CONTENDER = new URL('./contender.ts', import.meta.url);

const POLL_MS = 5;
/** Longest wait for the watch after the list. */
const WATCH_LIMIT_MS = 30_000;

/** Events beyond those of a run that the server remembers, so that no watch can fall out of its history. */
const SPARE_HISTORY = 1000;

/** @throws Error when the contender could not finish; a wrong answer is in `problems` instead */
export async function runOnce(entrant: Entrant, round: number, options: RunOptions): Promise<RunResult> {
  const { pods, events, seed } = options;
  const server = await FakeApiServer.spawn({ in: 'process', seed, historyEvents: events + SPARE_HISTORY });
  try {
    await server.seedPods(pods);
    const child = forkContender({ ...entrant, kubeConfigYaml: server.kubeConfigYaml(), pods, events });
    try {
      const { figures, answer, truth } = await lead(child, server, options);
      const problems = problemsOf(answer, truth, entrant.workload);
      return { ...entrant, round, figures, checksum: answer.checksum, problems };
    } finally {
      await end(child);
    }
  } catch (error) {
    const who = `${entrant.library} (${entrant.workload}, round ${round})`;
    throw new Error(`${who} did not finish: ${(error as Error).message}`, { cause: error });
  } finally {
    await server.stop();
  }
}

async function lead(
  child: ChildProcess,
  server: RemoteFakeApiServer,
  { events, seed }: RunOptions,
): Promise<{ figures: Figures; answer: Answer; truth: Truth }> {
  await nextMessage(child, 'listed');
  await watchIsOpen(server);
  tell(child, { type: 'arm' });
  await nextMessage(child, 'armed');

  const usedBefore = await server.usage();
  const versionBefore = Number(await server.resourceVersion());
  const done = nextMessage(child, 'done');
  // Updates only: the number of events is exact then. The `catch` is for an early end; it is awaited below.
  done.catch(() => {});
  const change = await server.churn({
    rate: Number.POSITIVE_INFINITY,
    count: events,
    mix: { update: 1 },
    seed,
  });
  tell(child, { type: 'changed' });
  const { figures, answer } = await done;
  const used = await server.usage();

  const { watches } = await server.stats();
  const { items } = await server.snapshot('pods');
  const truth: Truth = { ...truthOf(items), updates: change.updated, versionBefore, watches };
  const serverCpuUs = (cpuOf(used) - cpuOf(usedBefore)) / events;
  return { figures: { ...figures, serverCpuUs }, answer, truth };
}

function cpuOf({ cpu }: RemoteUsage): number {
  return cpu.user + cpu.system;
}

function forkContender(task: ContenderTask): ChildProcess {
  return fork(CONTENDER, [JSON.stringify(task)], {
    // Only makes `gc` available: it is called once, after all timing.
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

function tell(child: ChildProcess, message: ToContender): void {
  child.send(message);
}

async function watchIsOpen(server: RemoteFakeApiServer): Promise<void> {
  const endMs = performance.now() + WATCH_LIMIT_MS;
  while ((await server.stats()).openWatches === 0) {
    if (performance.now() > endMs) throw new Error(`no watch was open ${WATCH_LIMIT_MS} ms after the list`);
    await sleep(POLL_MS);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

interface PodView {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly containers: readonly unknown[] };
}

function truthOf(
  objects: readonly KubernetesObject[],
): Pick<Truth, 'objects' | 'checksum' | 'keyLetters' | 'containers'> {
  const entries: [string, string][] = [];
  let keyLetters = 0;
  let containers = 0;
  for (const object of objects) {
    const { metadata, spec } = object as unknown as PodView;
    const key = `${metadata.namespace}/${metadata.name}`;
    entries.push([key, metadata.resourceVersion]);
    keyLetters += key.length;
    containers += spec.containers.length;
  }
  return { objects: objects.length, checksum: checksumOf(entries), keyLetters, containers };
}
