/**
 * What a seed draws: how everything is set up, and a list of steps. Steps do not depend on each other, so that any of them
 * can be left out to see whether a failure needs it.
 */
import type { InitialList } from '../../src/reflector/index.ts';
import { Random } from '../../src/testing/random.ts';
import type { ClusterStyle, RequestFault } from './cluster.ts';
import type { Cut } from './connection.ts';
import { KEYS } from './objects.ts';
import type { LineFault } from './replica.ts';

/** How a handler behaves. */
export interface HandlerDraw {
  readonly form: 'event' | 'object' | 'batch';
  /** How long its promises take, in milliseconds; 0 for no promises. */
  readonly slowMs: number;
  /** How often it throws or rejects, from 0 to 1. */
  readonly throws: number;
  readonly isPerKey: boolean;
  readonly backlogLimit: number;
  readonly resyncMs: number;
}

export type Step =
  /** Writes that follow each other at once. `seed` is that of the contents. */
  | {
      readonly type: 'write';
      readonly keys: readonly string[];
      readonly deletes: number;
      readonly seed: number;
    }
  | { readonly type: 'tick' }
  | { readonly type: 'compact'; readonly kept: number }
  | { readonly type: 'forget'; readonly replica: number; readonly kept: number }
  | { readonly type: 'lag'; readonly replica: number }
  | { readonly type: 'follow'; readonly replica: number }
  | { readonly type: 'bookmark'; readonly replica: number; readonly behind: number }
  | { readonly type: 'restartServer'; readonly replica: number }
  | { readonly type: 'requests'; readonly faults: readonly RequestFault[] }
  | { readonly type: 'outage'; readonly ms: number; readonly fault: RequestFault }
  | { readonly type: 'lines'; readonly faults: readonly LineFault[] }
  | { readonly type: 'cutWatches'; readonly bytes: number; readonly cut: Cut }
  | { readonly type: 'endWatches' }
  | { readonly type: 'failWatches'; readonly code: number }
  | { readonly type: 'expireToken'; readonly refreshes: number }
  | { readonly type: 'jump'; readonly ms: number }
  | { readonly type: 'freeze'; readonly thread: 'home' | 'workers'; readonly ms: number }
  | { readonly type: 'slow'; readonly lookMs: number }
  | { readonly type: 'killWorker'; readonly index: number }
  | { readonly type: 'addHandler'; readonly informer: number; readonly handler: HandlerDraw }
  | { readonly type: 'removeHandler'; readonly informer: number; readonly index: number }
  | { readonly type: 'restartInformer'; readonly informer: number };

export interface TimedStep {
  /** Since the step before, in milliseconds. */
  readonly afterMs: number;
  readonly step: Step;
}

export interface InformerDraw {
  readonly initialList: InitialList;
  readonly ordering: 'total' | 'per-key';
  readonly pageLimit: number;
  readonly watchIdleMs: number | undefined;
  readonly shards: number;
  readonly dropsFields: boolean;
  readonly decodeCacheBytes: number;
  readonly namespaces: readonly string[] | undefined;
  readonly handlers: readonly HandlerDraw[];
}

export interface Plan {
  readonly seed: number;
  readonly style: ClusterStyle;
  readonly workers: number;
  readonly ringRecords: number;
  readonly informers: readonly InformerDraw[];
  readonly steps: readonly TimedStep[];
}

const MAX_STEPS = 90;

export function drawPlan(seed: number): Plan {
  const random = new Random(seed);
  return {
    seed,
    style: {
      replicas: 1 + random.below(3),
      hasItemTypes: random.chance(0.3),
      isPretty: random.chance(0.2),
      isMetadataLast: random.chance(0.1),
      isGoneAnEvent: random.chance(0.5),
      pagesFromCache: random.chance(0.3),
      followMs: random.pick([1, 50, 2_000]),
    },
    workers: random.chance(0.3) ? 2 : 1,
    ringRecords: random.pick([64, 64, 256]),
    informers: Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => drawInformer(random)),
    steps: Array.from({ length: 20 + random.below(MAX_STEPS - 20) }, () => ({
      afterMs: drawGapMs(random),
      step: drawStep(random),
    })),
  };
}

function drawInformer(random: Random): InformerDraw {
  return {
    initialList: random.pick(['list', 'watchList', 'auto']),
    ordering: random.chance(0.3) ? 'per-key' : 'total',
    pageLimit: random.pick([0, 1, 3, 500]),
    watchIdleMs: random.chance(0.5) ? 90_000 : undefined,
    shards: random.pick([1, 4]),
    dropsFields: random.chance(0.3),
    decodeCacheBytes: random.pick([0, 2_000, 1_000_000]),
    namespaces: random.chance(0.15) ? ['a', 'default'] : undefined,
    handlers: Array.from({ length: 1 + random.below(3) }, () => drawHandler(random)),
  };
}

export function drawHandler(random: Random): HandlerDraw {
  return {
    form: random.pick(['event', 'event', 'object', 'batch']),
    slowMs: random.chance(0.4) ? random.pick([1, 200, 30_000]) : 0,
    throws: random.chance(0.3) ? 0.3 : 0,
    isPerKey: random.chance(0.3),
    backlogLimit: random.pick([1, 3, 1024]),
    resyncMs: random.chance(0.2) ? random.pick([1_000, 20_000]) : 0,
  };
}

/** Mostly short, so that things happen while others are under way. */
function drawGapMs(random: Random): number {
  const fraction = random.fraction();
  if (fraction < 0.3) return 0;
  if (fraction < 0.6) return random.below(50);
  return Math.floor(random.fraction() ** 3 * 60_000);
}

type Draw = (random: Random) => Step;

/** How often each kind is drawn, beside the others. */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [40, drawWrite],
  [2, () => ({ type: 'tick' })],
  [3, (random) => ({ type: 'compact', kept: random.below(4) })],
  [3, (random) => ({ type: 'forget', replica: random.below(3), kept: random.below(4) })],
  [4, (random) => ({ type: 'lag', replica: random.below(3) })],
  [5, (random) => ({ type: 'follow', replica: random.below(3) })],
  [4, drawBookmark],
  [2, (random) => ({ type: 'restartServer', replica: random.below(3) })],
  [9, drawRequestFaults],
  [1, (random) => ({ type: 'outage', ms: random.pick([10_000, 120_000]), fault: drawRequestFault(random) })],
  [4, drawLineFaults],
  [4, drawCut],
  [3, () => ({ type: 'endWatches' })],
  [3, (random) => ({ type: 'failWatches', code: random.pick([410, 500, 504, 429, 403]) })],
  [2, (random) => ({ type: 'expireToken', refreshes: random.below(3) })],
  [1, (random) => ({ type: 'jump', ms: random.pick([5_000, 100_000, 1_000_000]) })],
  [2, drawFreeze],
  [2, (random) => ({ type: 'slow', lookMs: random.pick([0, 0.1, 1, 5]) })],
  [1, (random) => ({ type: 'killWorker', index: random.below(2) })],
  [3, (random) => ({ type: 'addHandler', informer: random.below(2), handler: drawHandler(random) })],
  [2, (random) => ({ type: 'removeHandler', informer: random.below(2), index: random.below(4) })],
  [1, (random) => ({ type: 'restartInformer', informer: random.below(2) })],
];

const ALL_WEIGHTS = KINDS.reduce((sum, [weight]) => sum + weight, 0);

function drawStep(random: Random): Step {
  let left = random.below(ALL_WEIGHTS);
  for (const [weight, draw] of KINDS) {
    if (left < weight) return draw(random);
    left -= weight;
  }
  throw new Error('weights and their sum differ');
}

function drawWrite(random: Random): Step {
  const count = random.chance(0.05) ? 60 : 1 + random.below(4);
  const keys = Array.from({ length: count }, () => random.pick(KEYS));
  return { type: 'write', keys, deletes: random.pick([0, 0.2, 0.5, 1]), seed: random.uint32() };
}

function drawBookmark(random: Random): Step {
  return { type: 'bookmark', replica: random.below(3), behind: random.chance(0.2) ? 1 + random.below(5) : 0 };
}

function drawCut(random: Random): Step {
  return {
    type: 'cutWatches',
    bytes: random.chance(0.3) ? 0 : random.below(3_000),
    cut: random.pick(['error', 'end', 'silence']),
  };
}

function drawFreeze(random: Random): Step {
  return { type: 'freeze', thread: random.pick(['home', 'workers']), ms: random.pick([100, 5_000, 60_000]) };
}

function drawLineFaults(random: Random): Step {
  const faults: LineFault[] = ['twice', 'cutShort', 'garbageBefore', 'unknownBefore', 'emptyBefore'];
  return { type: 'lines', faults: Array.from({ length: 1 + random.below(3) }, () => random.pick(faults)) };
}

function drawRequestFaults(random: Random): Step {
  const count = random.chance(0.1) ? 8 : 1 + random.below(2);
  return { type: 'requests', faults: Array.from({ length: count }, () => drawRequestFault(random)) };
}

function drawRequestFault(random: Random): RequestFault {
  switch (random.below(8)) {
    case 0:
      return { type: 'wrongType' };
    case 1:
      return { type: 'noAnswer' };
    case 2:
      return { type: 'noConnection' };
    case 3:
      return { type: 'notAList' };
    case 4:
      return { type: 'late', ms: random.pick([100, 5_000, 80_000]) };
    case 5:
      return {
        type: 'cut',
        bytes: random.below(random.pick([50, 1_000, 6_000])),
        cut: random.pick(['error', 'end', 'silence']),
      };
    default:
      return {
        type: 'refused',
        status: random.pick([302, 400, 401, 403, 404, 408, 410, 410, 422, 429, 429, 500, 502, 503, 504]),
        retryAfter: random.chance(0.3) ? random.pick(['1', '30', 'soon', '-5']) : '',
        isText: random.chance(0.2),
      };
  }
}
