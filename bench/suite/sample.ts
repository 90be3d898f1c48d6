/** One sample: a fresh server and a fresh process of a contender go through one task. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchResource, ChurnResult } from '../server/index.ts';
import { ContenderProcess, type StartCommand } from './contender-process.ts';
import { figuresOf, type Phases } from './figures.ts';
import { joinTimes } from './latency.ts';
import type { ContenderAnswer, ContenderConfig, Mode, ReplyTo } from './protocol.ts';
import type { LatencyFigures, SampleFigures } from './results.ts';
import type { Task } from './scenarios.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { problemsOf } from './verdict.ts';

export interface Outcome {
  /** Missing when the contender did not finish. */
  readonly figures?: SampleFigures;
  readonly problems: readonly string[];
}

/** Limits that only what hangs comes to: the slowest contender takes half a millisecond an object. */
const LIST_LIMIT_MS = 120_000;
const LIST_LIMIT_MS_PER_OBJECT = 5;
const WATCH_LIMIT_MS = 60_000;
const REPLY_LIMIT_MS = 60_000;
/** A contender itself gives up after two minutes, and says so. */
const CATCH_UP_LIMIT_MS = 180_000;

const POLL_MS = 5;

/** More calls than there can be: where the number is not known, the resourceVersion alone says when it is over. */
const ANY_CALLS = 1_000_000_000;

/** Runs one sample on a server that nobody has used yet. @throws nothing: what went wrong is in `problems` */
export async function takeSample(
  task: Task,
  start: StartCommand,
  mode: Mode,
  server: ServerUnderTest,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'kubering-bench-'));
  const config = configOf(task, mode, server, folder);
  const contender = new ContenderProcess(start, config);
  const kill = () => contender.kill();
  process.on('exit', kill);
  try {
    return await lead(contender, task, config, server, folder);
  } catch (error) {
    return { problems: [`did not finish: ${(error as Error).message}`] };
  } finally {
    process.off('exit', kill);
    await contender.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function lead(
  contender: ContenderProcess,
  task: Task,
  config: ContenderConfig,
  server: ServerUnderTest,
  folder: string,
): Promise<Outcome> {
  const { objects: listed } = await server.truth();
  const usedBefore = await server.usage();
  const listLimitMs = LIST_LIMIT_MS + task.objects * LIST_LIMIT_MS_PER_OBJECT;
  const synced = await contender.ask({ cmd: 'start' }, 'synced', listLimitMs);
  let phases: Phases = { synced };
  let serverCpuMs = (await server.usage()).cpuMs - usedBefore.cpuMs;
  let churn: ChurnResult | undefined;

  const hasEvents = task.churn !== undefined || task.expires === true;
  if (hasEvents) {
    await watchesAreOpen(server, task.resources);
    await contender.ask({ cmd: 'arm' }, 'armed', REPLY_LIMIT_MS);
    const before = await server.usage();
    const result = await makeEvents(contender, task, server);
    churn = result.churn;
    serverCpuMs = (await server.usage()).cpuMs - before.cpuMs;
    phases = { synced, ...result };
  }

  const { memory, answer } = await contender.ask({ cmd: 'report' }, 'report', REPLY_LIMIT_MS + listLimitMs);
  const { scenario } = task;
  const truth = await server.truth();
  const problems = problemsOf(answer, { scenario, listed, truth, ...(churn && { churn }) });
  if (phases.caughtUp?.gaveUp) problems.push('gave up waiting for events');
  const latency = await latencyOf(config, server, folder, answer);
  problems.push(...latency.problems);
  const figures = figuresOf(task, phases, memory, {
    objects: truth.objects,
    serverCpuMs,
    ...(latency.figures && { latencyMs: latency.figures }),
  });
  return { figures, problems };
}

/** What is measured behind the first list: a stream of events, or a list that is not the first. */
async function makeEvents(
  contender: ContenderProcess,
  { churn: order }: Task,
  server: ServerUnderTest,
): Promise<{ caughtUp: ReplyTo<'caught-up'>; runnerWallMs: number; churn?: ChurnResult }> {
  const beginMs = performance.now();
  if (order === undefined) {
    const version = await server.expire();
    const caughtUp = await awaitEvents(contender, version, ANY_CALLS);
    return { caughtUp, runnerWallMs: performance.now() - beginMs };
  }
  const churn = await server.churn(order);
  const calls = churn.adds + churn.updates + churn.deletes;
  const caughtUp = await awaitEvents(contender, churn.lastVersion, calls);
  return { caughtUp, runnerWallMs: performance.now() - beginMs, churn };
}

function awaitEvents(
  contender: ContenderProcess,
  version: number,
  calls: number,
): Promise<ReplyTo<'caught-up'>> {
  return contender.ask({ cmd: 'await', rv: String(version), calls }, 'caught-up', CATCH_UP_LIMIT_MS);
}

function configOf(task: Task, mode: Mode, server: ServerUnderTest, folder: string): ContenderConfig {
  const resources: readonly BenchResource[] = server.resources;
  return {
    server: server.url,
    ...(server.caFile !== undefined && { caFile: server.caFile }),
    token: server.token,
    resource: resources[0]!,
    ...(resources.length > 1 && { resources }),
    mode,
    objects: task.objects,
    ...task.asks,
    ...(task.rate !== undefined && { receiveTimesFile: join(folder, 'received') }),
  };
}

async function latencyOf(
  { receiveTimesFile }: ContenderConfig,
  server: ServerUnderTest,
  folder: string,
  answer: ContenderAnswer,
): Promise<{ figures?: LatencyFigures; problems: readonly string[] }> {
  if (receiveTimesFile === undefined || answer.updates === 0) return { problems: [] };
  const sentFile = join(folder, 'sent');
  await server.writeSendTimes(sentFile);
  const { figures, problems } = joinTimes(readPairs(sentFile), readPairs(receiveTimesFile));
  return { ...(figures && { figures }), problems };
}

function readPairs(path: string): Float64Array {
  const bytes = readFileSync(path);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

async function watchesAreOpen(server: ServerUnderTest, count: number): Promise<void> {
  const endMs = performance.now() + WATCH_LIMIT_MS;
  while ((await server.usage()).openWatches < count) {
    if (performance.now() > endMs) {
      throw new Error(`${count} watches were not open ${WATCH_LIMIT_MS / 1000} s after the list`);
    }
    await sleep(POLL_MS);
  }
}
