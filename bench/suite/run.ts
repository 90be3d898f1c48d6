/** Leads a whole run: checks, header, samples in order, each on file as soon as it is there. */
import { runBareReader } from './bare-run.ts';
import { contendersNamed, memorySuffices, portIsFree } from './checks.ts';
import type { Contender } from './contender.ts';
import { loadNow, lookAround, machine, type Quiet, revision, versionsOf } from './machine.ts';
import { describeNoise, noiseOf } from './noise.ts';
import { OptionsError, type Selection, type SuiteOptions } from './options.ts';
import { keyOf, planOf, type Step } from './plan.ts';
import { guessSeconds, minutes, Progress } from './progress.ts';
import type { HeaderLine, ResultLine, SampleLine, SkippedLine } from './results.ts';
import { ResultsFile, refuseToOverwrite, resultsPath } from './results-file.ts';
import { takeSample } from './sample.ts';
import type { Task } from './scenarios.ts';
import { openBenchServer, type ServerUnderTest } from './server-under-test.ts';

export interface RunIo {
  /** Told of each line of the results, old ones of a resumed run included. */
  readonly onLine: (line: ResultLine) => void;
  /** Told what is going on, for people. */
  readonly say: (line: string) => void;
  readonly isTerminal: boolean;
  readonly name: string;
  readonly command: string;
}

/** What a run needs of the world; other than these in tests that are about something else. */
export interface RunTools {
  /** Opens the server of a sample. A real API server is opened once, and outlives its samples. */
  readonly open: (task: Task, port: number) => Promise<ServerUnderTest>;
  readonly lookAround: () => Promise<Quiet>;
  readonly readBarely: (selection: Selection) => Promise<HeaderLine['bareReader']>;
}

const TOOLS: RunTools = { open: openBenchServer, lookAround, readBarely: runBareReader };

/**
 * @returns the lines of the results
 * @throws OptionsError or CannotRunError before anything was started
 */
export async function runSuite(
  options: SuiteOptions,
  all: readonly Contender[],
  io: RunIo,
  tools: Partial<RunTools> = {},
): Promise<readonly ResultLine[]> {
  const date = new Date().toISOString();
  const path = resultsPath({ ...options, date, name: io.name });
  const resumed = options.resume ? reopen(path, options) : undefined;
  if (resumed === undefined) refuseToOverwrite(path);
  const selection = (resumed?.header.options ?? options.selection) as Selection;

  const { able, skipped } = await sort(contendersNamed(selection.contenders, all), selection);
  const plan = planOf(selection, able);
  if (plan.steps.length === 0) throw new OptionsError('no contender that can run here has such a scenario');
  const steps = plan.steps.filter(({ cell, sample, warmup }) => {
    return resumed?.has(keyOf({ ...cell, sample, warmup })) !== true;
  });
  memorySuffices(steps);
  await portIsFree(selection.port);
  for (const { reason, contender } of skippedEverywhere(skipped))
    io.say(`${contender} is skipped: ${reason}`);
  for (const contender of able) await contender.build(io.say);

  const { readBarely, ...others } = { ...TOOLS, ...tools };
  const header = resumed?.header ?? {
    ...headerOf(selection, io, date),
    versions: await versionsOf(able),
    bareReader: await readBarely(selection),
  };
  const file = resumed ?? ResultsFile.create(path, header);
  if (resumed === undefined) for (const line of [...skipped, ...plan.skipped]) file.append(line);
  for (const line of file.lines) io.onLine(line);
  sayConditions(header, io);
  io.say(`${steps.length} samples, some ${minutes(guessSeconds(steps))}; results go to ${path}`);
  await takeAll(steps, file, { selection, io, ...others });
  return file.lines;
}

function reopen(path: string, { selected }: SuiteOptions): ResultsFile {
  if (selected.length > 0) {
    throw new OptionsError(
      `a resumed run has its options from its file: leave out --${selected.join(', --')}`,
    );
  }
  const file = ResultsFile.reopen(path);
  const { commit } = revision();
  if (file.header.commit !== commit) {
    throw new OptionsError(
      `${path} was begun at commit ${file.header.commit}, and ${commit} is checked out now`,
    );
  }
  if (file.header.machine.cpu !== machine().cpu)
    throw new OptionsError(`${path} was begun on another machine`);
  return file;
}

/** Those contenders that can run here, and a line for each that can't and each scenario that it misses. */
async function sort(
  contenders: readonly Contender[],
  { scenarios }: Selection,
): Promise<{ able: Contender[]; skipped: SkippedLine[] }> {
  const able: Contender[] = [];
  const skipped: SkippedLine[] = [];
  for (const contender of contenders) {
    const reason = await contender.available();
    if (reason === undefined) able.push(contender);
    else {
      const { name } = contender;
      skipped.push(
        ...scenarios.map((scenario) => ({ kind: 'skipped' as const, contender: name, scenario, reason })),
      );
    }
  }
  return { able, skipped };
}

function skippedEverywhere(skipped: readonly SkippedLine[]): SkippedLine[] {
  return [...new Map(skipped.map((line) => [line.contender, line])).values()];
}

function headerOf({ seed, ...others }: Selection, { name, command }: RunIo, date: string) {
  const options = { seed, ...others };
  const about = { kind: 'header' as const, suite: 1 as const, name, command, date, seed };
  return { ...about, ...revision(), machine: machine(), options };
}

function sayConditions({ bareReader, machine: { cpu, cores } }: HeaderLine, { say }: RunIo): void {
  const { listMBps, eventsPerSecond } = bareReader;
  say(`${cpu}, ${cores} cores`);
  say(`a bare reader gets ${listMBps} MB/s of a list and ${eventsPerSecond} events/s from the server`);
}

type Setting = Pick<RunTools, 'open' | 'lookAround'> & { selection: Selection; io: RunIo };

async function takeAll(steps: readonly Step[], file: ResultsFile, setting: Setting): Promise<void> {
  const { io } = setting;
  const progress = new Progress(steps, io);
  const lastOfPair = steps.findLast(({ cell }) => cell.aa !== undefined);
  let saidBusy = false;
  try {
    for (const step of steps) {
      const reason = reasonToGiveUp(step, file.lines);
      if (reason !== undefined) {
        giveUp(step, reason, file, io);
        progress.end(step);
        continue;
      }
      progress.begin(step);
      const line = await take(step, setting);
      file.append(line);
      io.onLine(line);
      for (const problem of line.answer.problems) {
        progress.note(`WRONG: ${line.scenario} ${line.contender}: ${problem}`);
      }
      if (line.busy && !saidBusy) progress.note(BUSY);
      saidBusy ||= line.busy;
      const noise = step === lastOfPair ? noiseOf(file.lines) : undefined;
      if (noise !== undefined) progress.note(describeNoise(noise));
      progress.end(step);
    }
  } finally {
    progress.stop();
  }
}

/** A contender that could not finish its warm-up would only cost time. */
function reasonToGiveUp({ contender }: Step, lines: readonly ResultLine[]): string | undefined {
  const failed = lines.some((line) => {
    return line.kind === 'sample' && line.warmup && line.contender === contender.name && !line.figures;
  });
  return failed ? 'it did not finish its warm-up' : undefined;
}

/** Says once per scenario and size that a contender is skipped. */
function giveUp({ cell }: Step, reason: string, file: ResultsFile, { onLine }: RunIo): void {
  const { contender, scenario, objects } = cell;
  const isSaid = file.lines.some((line) => {
    if (line.kind !== 'skipped' || line.contender !== contender) return false;
    return line.scenario === scenario && line.objects === objects;
  });
  if (isSaid) return;
  const line: SkippedLine = { kind: 'skipped', contender, scenario, objects, reason };
  file.append(line);
  onLine(line);
}

const BUSY = 'others are at work on this machine: samples taken beside them are marked, look at ratios only';

async function take(step: Step, { selection, open, lookAround: look }: Setting): Promise<SampleLine> {
  const { task, contender, cell, sample, warmup } = step;
  const { load, busy } = await look();
  const server = await open(task, selection.port);
  try {
    const { figures, problems } = await takeSample(task, contender.command(), cell.mode, server);
    return {
      kind: 'sample',
      ...cell,
      sample,
      warmup,
      load: [load, loadNow()],
      busy,
      ...(figures && { figures }),
      answer: { right: problems.length === 0, problems },
    };
  } finally {
    await server.stop();
  }
}
