/** What is done in which order. */
import { type Contender, isOurs, OURS } from './contender.ts';
import type { Selection } from './options.ts';
import type { Mode, ScenarioName } from './protocol.ts';
import type { Cell, SampleLine, SkippedLine } from './results.ts';
import { LARGEST_FOR_ALL, type Task, tasksOf } from './scenarios.ts';

/** One sample to take. */
export interface Step {
  readonly task: Task;
  readonly contender: Contender;
  readonly cell: Cell;
  readonly sample: number;
  readonly warmup: boolean;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly skipped: readonly SkippedLine[];
}

/** Enough to have a program's files in memory and its processor awake. */
const WARM_UP_OBJECTS = 2_000;

/** Scenarios in which it is told what each way to read objects costs; and of whom, besides kubering. */
const MODE_SCENARIOS: readonly ScenarioName[] = ['list', 'events'];
const MODE_RIVALS: Readonly<Partial<Record<ScenarioName, readonly string[]>>> = { events: ['client-node'] };

/** A pair of two is no noise yet. */
const LEAST_AA_SAMPLES = 3;

/**
 * Warm-ups first, then the pair that differs in nothing, then all scenarios. Contenders take turns, and every other
 * round goes backwards, so that nobody always comes after the same neighbour.
 */
export function planOf(selection: Selection, contenders: readonly Contender[]): Plan {
  const tasks = selection.scenarios.flatMap((scenario) => tasksOf(scenario, selection));
  const skipped: SkippedLine[] = [];
  const groups = tasks.map((task) => {
    return contenders.flatMap((contender) => {
      const reason = reasonToSkip(contender, task);
      if (reason === undefined) return modesOf(contender, task).map((mode) => entryOf(contender, task, mode));
      const { scenario, objects } = task;
      skipped.push({ kind: 'skipped', contender: contender.name, scenario, objects, reason });
      return [];
    });
  });
  const rounds = groups.flatMap((group) => {
    return Array.from({ length: selection.samples }, (_, sample) =>
      (sample % 2 === 0 ? group : group.toReversed()).map((entry) => ({ ...entry, sample, warmup: false })),
    ).flat();
  });
  return { steps: [...warmUps(groups, selection), ...pair(groups, selection), ...rounds], skipped };
}

/** Tells a sample from all others of a run. */
export function keyOf(line: Cell & Pick<SampleLine, 'sample' | 'warmup'>): string {
  const { scenario, contender, mode, objects, objectKind, rate, transport, aa, sample, warmup } = line;
  return [scenario, contender, mode, objects, objectKind, rate, transport, aa, sample, warmup].join(' ');
}

type Entry = Omit<Step, 'sample' | 'warmup'>;

function entryOf(contender: Contender, task: Task, mode: Mode): Entry {
  const { scenario, objects, objectKind, rate, transport } = task;
  const cell: Cell = {
    scenario,
    contender: contender.name,
    mode,
    objects,
    objectKind,
    ...(rate !== undefined && { rate }),
    transport,
  };
  return { contender, task, cell };
}

function reasonToSkip(contender: Contender, task: Task): string | undefined {
  if (!contender.scenarios.includes(task.scenario))
    return `${contender.name} has no scenario '${task.scenario}'`;
  if (task.objects > LARGEST_FOR_ALL && !isOurs(contender.name)) {
    return `more than ${LARGEST_FOR_ALL} objects are listed by ${OURS} alone`;
  }
  return undefined;
}

function modesOf({ name, modes }: Contender, { scenario, objects }: Task): readonly Mode[] {
  const hasAll =
    MODE_SCENARIOS.includes(scenario) && (isOurs(name) || MODE_RIVALS[scenario]?.includes(name) === true);
  if (hasAll && objects <= LARGEST_FOR_ALL) return modes;
  return modes.includes('keys') ? ['keys'] : modes.slice(0, 1);
}

/** Each contender once, with a short list; only who is not on the benchmark server at all warms up on the real one. */
function warmUps(groups: readonly (readonly Entry[])[], selection: Selection): Step[] {
  const [list] = tasksOf('list', {
    ...selection,
    objects: [Math.min(WARM_UP_OBJECTS, ...selection.objects)],
  });
  const first = new Map<string, Entry>();
  for (const entry of groups.flat().toReversed()) first.set(entry.contender.name, entry);
  return [...first.values()].toReversed().map((entry) => {
    const isReal = entry.task.scenario === 'real';
    const warm = isReal ? entry : entryOf(entry.contender, list!, entry.cell.mode);
    return { ...warm, sample: 0, warmup: true };
  });
}

/** The smallest list of kubering, or of whoever is there, under two names in turn: how far apart is the same? */
function pair(groups: readonly (readonly Entry[])[], { samples }: Selection): Step[] {
  const lists = groups.flat().filter(({ task }) => task.scenario === 'list' || task.scenario === 'real');
  const entry = lists.find(({ contender }) => contender.name === OURS) ?? lists[0];
  if (entry === undefined) return [];
  return Array.from({ length: Math.max(samples, LEAST_AA_SAMPLES) }, (_, sample) => {
    const names = sample % 2 === 0 ? (['A', 'B'] as const) : (['B', 'A'] as const);
    return names.map((aa) => ({ ...entry, cell: { ...entry.cell, aa }, sample, warmup: false }));
  }).flat();
}
