/** Makes the figures of a sample of what the contender said about its phases. */
import type { ContenderMemory, ReplyTo } from './protocol.ts';
import type { LatencyFigures, SampleFigures } from './results.ts';
import type { Task } from './scenarios.ts';

/** `caughtUp` is there when something was measured behind the first list. */
export interface Phases {
  readonly synced: ReplyTo<'synced'>;
  readonly caughtUp?: ReplyTo<'caught-up'>;
  /** The runner's own time of the second phase. */
  readonly runnerWallMs?: number;
}

export interface Observed {
  /** In the cache at the end. */
  readonly objects: number;
  readonly serverCpuMs: number;
  readonly latencyMs?: LatencyFigures;
}

export function figuresOf(
  task: Task,
  { synced, caughtUp, runnerWallMs = 0 }: Phases,
  memory: ContenderMemory,
  { objects, serverCpuMs, latencyMs }: Observed,
): SampleFigures {
  // Of many resources, the first lists are what is looked at; the updates behind them give a rate only.
  const phase = caughtUp === undefined || task.scenario === 'many' ? synced : caughtUp;
  const { cpuMs, mainCpuMs, threads, stallMaxMs, stallP99Ms, gcPauses } = phase.meters;
  const events = phase === synced ? task.objects : (task.churn?.events ?? task.objects);
  const churned = task.churn?.events;
  return {
    wallMs: task.expires === true ? runnerWallMs : phase.wallMs,
    ...(caughtUp !== undefined &&
      churned !== undefined &&
      caughtUp.wallMs > 0 && { eventsPerSecond: (churned - 1) / (caughtUp.wallMs / 1000) }),
    cpuMs,
    ...(mainCpuMs !== undefined && { mainCpuMs, mainCpuUsPerEvent: (mainCpuMs * 1000) / events }),
    ...(threads !== undefined && { threads }),
    ...(stallMaxMs !== undefined && { stallMaxMs }),
    ...(stallP99Ms !== undefined && { stallP99Ms }),
    ...(gcPauses !== undefined && { gc: gcPauses }),
    ...memory,
    ...(objects > 0 && { bytesPerObject: Math.round((memory.rssMb * 1e6) / objects) }),
    ...(latencyMs !== undefined && { latencyMs }),
    calls: phase.calls,
    serverCpuMs,
  };
}
