/** Runs one seed: its steps with everything that goes wrong, then a quiet time, then the comparison. */

import { Random } from '../../src/testing/random.ts';
import { checkRequests } from './check-requests.ts';
import { drawPlan, type Plan } from './plan.ts';
import { takeStep } from './take-step.ts';
import { useVirtualGlobals } from './virtual-globals.ts';
import { World } from './world.ts';

/** Longest time after which all must be as on the server, from when all is well again. */
const QUIET_LIMIT_MS = 20 * 60_000;
const QUIET_STEP_MS = 10_000;

export interface Outcome {
  readonly seed: number;
  /** undefined when all was as it has to be. */
  readonly failure: Error | undefined;
  /** Numbers of the steps that were taken. */
  readonly steps: readonly number[];
  readonly trace: readonly string[];
  /** How much happened. */
  readonly tasks: number;
  readonly requests: number;
  readonly writes: number;
  readonly events: number;
  /** Time of the simulation. */
  readonly simulatedMs: number;
}

export interface SimulateOptions {
  /** Numbers of the steps to take. @default all that the seed has */
  readonly only?: readonly number[] | undefined;
}

export async function simulate(seed: number, { only }: SimulateOptions = {}): Promise<Outcome> {
  const plan = drawPlan(seed);
  const steps = only ?? [...plan.steps.keys()];
  const world = new World(plan);
  const chance = new Random(seed + 5e9);
  const giveBack = useVirtualGlobals(world.loop, () => chance.fraction());
  const noteRejection = (error: unknown) => world.fail(error as Error);
  process.on('unhandledRejection', noteRejection);
  let failure: Error | undefined;
  try {
    await run(world, plan, steps);
  } catch (error) {
    failure = error as Error;
  } finally {
    process.off('unhandledRejection', noteRejection);
    giveBack();
  }
  return {
    seed,
    failure: world.failure ?? failure,
    steps,
    trace: world.trace.last(40),
    tasks: world.loop.count,
    requests: world.cluster.requests.length,
    writes: world.cluster.etcd.history.length,
    events: world.subjects.reduce((sum, { informer }) => sum + informer.stats.events, 0),
    simulatedMs: world.loop.nowMs,
  };
}

async function run(world: World, plan: Plan, steps: readonly number[]): Promise<void> {
  const { loop } = world;
  await world.start();
  for (const number of steps) {
    const { afterMs, step } = plan.steps[number]!;
    await loop.runUntil(loop.nowMs + afterMs);
    world.trace.note(`step ${number}: ${JSON.stringify(step)}`);
    await world.asHome(() => takeStep(world, step));
    check(world);
  }
  world.trace.note('all is well from now on');
  await world.asHome(() => world.heal());
  await becomeQuiet(world);
  checkQuiet(world);
  await stop(world);
}

/** Waits until all is as on the server; what is not by then is told by `checkQuiet`. */
async function becomeQuiet(world: World): Promise<void> {
  const { loop } = world;
  const endMs = loop.nowMs + QUIET_LIMIT_MS;
  while (loop.nowMs < endMs) {
    await loop.runUntil(loop.nowMs + QUIET_STEP_MS);
    check(world);
    if (isQuiet(world)) return;
  }
}

function isQuiet(world: World): boolean {
  try {
    checkQuiet(world);
    return true;
  } catch {
    return false;
  }
}

function check(world: World): void {
  if (world.failure !== undefined) throw world.failure;
  for (const subject of world.subjects) subject.check();
  world.accounts.assertArenas();
  world.checkMemory();
  checkRequests(world);
}

function checkQuiet(world: World): void {
  for (const subject of world.subjects) subject.checkQuiet();
}

/** Stops all informers: nothing may be left of them. */
async function stop(world: World): Promise<void> {
  await world.asHome(() => {
    for (const subject of world.subjects) world.stopInformer(subject);
  });
  await world.loop.runUntil(world.loop.nowMs + 60_000);
  check(world);
  world.checkEmpty();
}
