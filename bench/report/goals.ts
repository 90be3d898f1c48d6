/** What kubering is to reach, in one run on two cores, and whether it does. */
import type { Mode, ScenarioName } from '../suite/protocol.ts';
import type { SkippedLine } from '../suite/results.ts';
import { type FigureName, figureOf } from './figures.ts';
import { compare, type Group, type Row, rivalOf, spreadIn } from './groups.ts';
import type { Results } from './load.ts';

export interface Goal {
  readonly text: string;
  readonly scenario: ScenarioName;
  /** Missing for the largest that all have. */
  readonly objects?: number;
  readonly mode: Mode;
  readonly figure: FigureName;
  /** With a rival: kubering is so many times better. */
  readonly rival?: string;
  readonly atLeast?: number;
  /** Without: the figure itself. */
  readonly atMost?: number;
}

export interface GoalResult {
  readonly goal: Goal;
  readonly state: 'met' | 'missed' | 'not measured';
  /** The ratio or the figure; or why there is none. */
  readonly said: string;
}

const LIST = { scenario: 'list', objects: 50_000, mode: 'keys', figure: 'wallMs' } as const;
const EVENTS = { scenario: 'events', figure: 'eventsPerSecond' } as const;

export const GOALS: readonly Goal[] = [
  { ...LIST, text: 'first list of 50,000', rival: 'client-node', atLeast: 6 },
  { ...LIST, text: 'first list of 50,000', rival: 'client-go-typed', atLeast: 8 },
  { ...LIST, text: 'first list of 50,000', rival: 'kube-rs', atLeast: 1.5 },
  { ...EVENTS, mode: 'keys', text: 'events, handlers that read keys', rival: 'client-node', atLeast: 4 },
  { ...EVENTS, mode: 'keys', text: 'events, handlers that read keys', rival: 'kube-rs', atLeast: 4 },
  { ...EVENTS, mode: 'two-fields', text: 'events, two fields read', rival: 'client-node', atLeast: 2 },
  { ...EVENTS, mode: 'two-fields', text: 'events, two fields read', rival: 'kube-rs', atLeast: 2 },
  { ...EVENTS, mode: 'decode-all', text: 'events, all decoded', rival: 'client-node', atLeast: 1 },
  {
    scenario: 'events',
    mode: 'keys',
    figure: 'mainCpuUsPerEvent',
    text: 'main-thread CPU per event, handlers that read keys',
    atMost: 6,
  },
  {
    scenario: 'list',
    objects: 100_000,
    mode: 'keys',
    figure: 'stallMaxMs',
    text: 'longest stall in a list of 100,000',
    atMost: 30,
  },
  {
    ...LIST,
    figure: 'rssMb',
    text: 'resident memory after a list of 50,000',
    rival: 'client-node',
    atLeast: 4,
  },
];

export function checkGoals(groups: readonly Group[], { skipped }: Pick<Results, 'skipped'>): GoalResult[] {
  return GOALS.map((goal) => checkGoal(goal, groups, skipped));
}

function checkGoal(goal: Goal, groups: readonly Group[], skipped: readonly SkippedLine[]): GoalResult {
  const group = groups
    .filter(({ scenario, objectKind }) => scenario === goal.scenario && objectKind === 'pod')
    .filter(({ objects }) => goal.objects === undefined || objects === goal.objects)
    .at(-1);
  const missing = (said: string): GoalResult => ({ goal, state: 'not measured', said });
  if (group === undefined) return missing('no such samples in these results');
  const ours = group.rows.find(({ contender, mode }) => contender === 'kubering' && mode === goal.mode);
  if (ours?.problem !== undefined) return missing(`kubering's answer is wrong: ${ours.problem}`);
  return goal.rival === undefined
    ? checkFigure(goal, ours, missing)
    : checkRatio(goal, group, ours, skipped, missing);
}

type Missing = (said: string) => GoalResult;

function checkFigure(goal: Goal, ours: Row | undefined, missing: Missing): GoalResult {
  const spread = spreadIn(ours, goal.figure);
  if (spread === undefined) return missing('kubering has no such figure in these results');
  const { digits } = figureOf(goal.figure);
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(digits));
  const state = spread.median <= goal.atMost! ? 'met' : 'missed';
  return { goal, state, said: `${median} (${min}–${max})` };
}

function checkRatio(
  goal: Goal,
  { rows, scenario }: Group,
  ours: Row | undefined,
  skipped: readonly SkippedLine[],
  missing: Missing,
): GoalResult {
  const theirs = rivalOf(rows, goal.rival!, goal.mode);
  const comparison = compare(ours, theirs, goal.figure);
  if (comparison !== undefined) {
    const { ratio, low, high } = comparison;
    const state = ratio >= goal.atLeast! ? 'met' : 'missed';
    return { goal, state, said: `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})` };
  }
  if (theirs?.problem !== undefined) return missing(`${goal.rival} gave a wrong answer: ${theirs.problem}`);
  const why = skipped.find((line) => line.contender === goal.rival && line.scenario === scenario);
  return missing(
    why === undefined ? `no samples of ${goal.rival}` : `${goal.rival} was skipped: ${why.reason}`,
  );
}

/** What is asked, with its unit. */
export function targetOf({ rival, atLeast, atMost, figure }: Goal): string {
  if (rival === undefined) return `at most ${atMost} ${figure === 'mainCpuUsPerEvent' ? 'µs' : 'ms'}`;
  if (atLeast === 1) return `no worse than ${rival}`;
  return figure === 'rssMb' ? `at most 1/${atLeast} of ${rival}` : `at least ${atLeast} times ${rival}`;
}
