/**
 * About what contenders take, measured on two cores of 2.3 GHz: to say how long a run will be, and before it starts
 * whether there is memory for it. Nothing else depends on these.
 */

import { MOST_KEPT_OBJECTS, OBJECT_BYTES } from '../server/index.ts';
import { isOurs, OURS } from './contender.ts';
import type { Task } from './scenarios.ts';

interface Cost {
  /** Time until synced, and resident memory at its peak, for each Pod on the list. */
  readonly listUs: number;
  readonly bytes: number;
  readonly eventUs: number;
}

const COSTS: Readonly<Record<string, Cost>> = {
  kubering: { listUs: 60, bytes: 14_000, eventUs: 60 },
  'client-node': { listUs: 180, bytes: 45_000, eventUs: 150 },
  'fluent-client': { listUs: 250, bytes: 50_000, eventUs: 200 },
  'client-go-typed': { listUs: 230, bytes: 30_000, eventUs: 600 },
  'client-go-dynamic': { listUs: 560, bytes: 85_000, eventUs: 750 },
  'client-go-protobuf': { listUs: 150, bytes: 30_000, eventUs: 100 },
  'kube-rs': { listUs: 110, bytes: 60_000, eventUs: 130 },
};
const UNKNOWN: Cost = { listUs: 200, bytes: 30_000, eventUs: 200 };

/** Of a process with nothing in it yet: a heap that has grown before anything was collected, code, buffers. */
const BASE_BYTES = 400_000_000;
const SERVER_BASE_BYTES = 150_000_000;
const SERVER_BUILD_US = 40;
/** Two processes start and end, and the machine is looked at. */
const STEP_SECONDS = 2.5;

function costOf(contender: string, { objectKind }: Task): Cost {
  const { listUs, bytes, eventUs } = COSTS[isOurs(contender) ? OURS : contender] ?? UNKNOWN;
  const size = OBJECT_BYTES[objectKind] / OBJECT_BYTES.pod;
  return { listUs: listUs * size, bytes: bytes * size, eventUs: eventUs * size };
}

/** How long a sample takes, about. */
export function secondsOf(contender: string, task: Task): number {
  const { listUs, eventUs } = costOf(contender, task);
  const { objects, churn, rate, expires, asks } = task;
  const calls = objects + (churn?.events ?? 0);
  const listed = objects * (SERVER_BUILD_US + listUs * (expires === true ? 2 : 1));
  const churned = Math.max(
    (churn?.events ?? 0) * eventUs,
    rate === undefined ? 0 : (churn!.events / rate) * 1e6,
  );
  return STEP_SECONDS + (listed + churned + calls * (asks.handlerDelayUs ?? 0)) / 1e6;
}

/** Memory that contender and server need together, about. */
export function bytesOf(contender: string, task: Task): number {
  const kept = task.objects > MOST_KEPT_OBJECTS ? 0 : task.objects * OBJECT_BYTES[task.objectKind];
  return BASE_BYTES + task.objects * costOf(contender, task).bytes + SERVER_BASE_BYTES + kept;
}
