/** The scenarios: what is asked of the server and of a contender, whoever that is. */
import type { ChurnOrder, ObjectKind } from '../server/index.ts';
import type { ContenderConfig, ScenarioName } from './protocol.ts';

/** All that contenders in the same table have in common. */
export interface Task {
  readonly scenario: ScenarioName;
  readonly objects: number;
  readonly objectKind: ObjectKind;
  readonly transport: 'http' | 'https';
  /** Events a second, where these are paced. */
  readonly rate?: number;
  readonly seed: number;
  /** How many resources the objects are spread over. */
  readonly resources: number;
  /** What happens after the first list; missing when nothing does. */
  readonly churn?: ChurnOrder;
  /** The server forgets after the first list, so that another one is needed. */
  readonly expires?: boolean;
  readonly asks: Pick<ContenderConfig, 'indexes' | 'handlerDelayUs' | 'lookupsPerSecond'>;
}

export interface TaskSizes {
  /** For the scenarios that are measured at several sizes; the others take the smallest. */
  readonly objects: readonly number[];
  /** Of each stream of events that is not paced. */
  readonly events: number;
  readonly objectKind: ObjectKind;
  readonly transport: 'http' | 'https';
  readonly seed: number;
  /** All sizes for events and relists, too. */
  readonly isFull: boolean;
}

/** Latency is measured where some contenders keep up easily, and where few do. */
const RATES = [1_000, 10_000];
/** Long enough for a p99.9 at the lower rate. */
const PACED_SECONDS = 5;
/** One in a thousand of them are ten; a contender that can't keep up takes seconds for them all the same. */
const MOST_PACED_EVENTS = 10_000;

const MANY_RESOURCES = 20;
const LOOKUPS_PER_SECOND = 1_000;

/** A handler that takes so long can do 5,000 events a second. */
const HANDLER_DELAY_US = 200;
/** Each of them is an event for the slow handler, too, before anything is measured. */
const SLOW_HANDLER_OBJECTS = 2_000;
const SLOW_HANDLER_EVENTS = 5_000;

/** Beyond this size only the list is measured, and by kubering alone. */
export const LARGEST_FOR_ALL = 250_000;

/** The tasks of a scenario, smallest first. */
export function tasksOf(scenario: ScenarioName, sizes: TaskSizes): Task[] {
  const { objectKind, transport, seed, events } = sizes;
  const all = sizes.objects.filter((objects) => objects <= LARGEST_FOR_ALL);
  const some = sizes.isFull ? all : all.slice(0, 1);
  const base = { scenario, objectKind, transport, seed, resources: 1, asks: { indexes: false } };
  const updates: ChurnOrder = { events, mix: 'updates' };
  switch (scenario) {
    case 'list':
      return sizes.objects.map((objects) => ({ ...base, objects }));
    case 'real':
      return all.slice(0, 1).map((objects) => ({ ...base, objects, objectKind: 'pod', transport: 'https' }));
    case 'events':
      return some.map((objects) => ({ ...base, objects, churn: updates }));
    case 'latency':
      return all.slice(0, 1).flatMap((objects) =>
        RATES.map((rate) => {
          const paced = Math.min(events, rate * PACED_SECONDS, MOST_PACED_EVENTS);
          return { ...base, objects, rate, churn: { rate, events: paced, mix: 'updates' as const } };
        }),
      );
    case 'relist':
      return some.map((objects) => ({ ...base, objects, expires: true }));
    case 'mixed':
      return all.slice(0, 1).map((objects) => ({
        ...base,
        objects,
        churn: { events, mix: 'mixed' },
        asks: { indexes: true, lookupsPerSecond: LOOKUPS_PER_SECOND },
      }));
    case 'many':
      return all.slice(0, 1).map((objects) => ({
        ...base,
        objects,
        objectKind: 'custom',
        resources: MANY_RESOURCES,
        churn: updates,
      }));
    case 'slow-handler':
      return all.slice(0, 1).map((objects) => ({
        ...base,
        objects: Math.min(objects, SLOW_HANDLER_OBJECTS),
        churn: { events: Math.min(events, SLOW_HANDLER_EVENTS), mix: 'updates' },
        asks: { indexes: false, handlerDelayUs: HANDLER_DELAY_US },
      }));
  }
}
