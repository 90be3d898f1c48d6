/** The process of a Node contender: does what the runner says on stdin, and answers on stdout. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, ContenderConfig, PhaseReply, Reply } from '../suite/protocol.ts';
import { hashOfCache } from './hash.ts';
import type { Library, MakeLibrary } from './library.ts';
import { LookupLoop } from './lookups.ts';
import { memoryNow } from './memory.ts';
import { MeterSet } from './meters.ts';
import { Tally } from './tally.ts';

/** Longest wait for events that are on their way; the runner is patient for longer. */
const CATCH_UP_MS = 120_000;

/** The first words of a failure are the ones that matter. */
const MOST_ERRORS = 20;

/** Serves until it is told to exit, or nobody is there any more. The config is the last argument. */
export async function serve(make: MakeLibrary): Promise<never> {
  const config = JSON.parse(process.argv.at(-1)!) as ContenderConfig;
  const contender = new Contender(config, make);
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line) as Command;
    if (command.cmd === 'exit') break;
    await say(await contender.obey(command));
  }
  process.exit(0);
}

class Contender {
  readonly #config: ContenderConfig;
  readonly #make: MakeLibrary;
  readonly #tally: Tally;
  readonly #meters = new MeterSet();
  #library: Library | undefined;
  #lookups: LookupLoop | undefined;

  constructor(config: ContenderConfig, make: MakeLibrary) {
    this.#config = config;
    this.#make = make;
    this.#tally = new Tally(config);
  }

  async obey(command: Exclude<Command, { cmd: 'exit' }>): Promise<Reply> {
    switch (command.cmd) {
      case 'start':
        return { event: 'synced', ...(await this.#start()) };
      case 'arm':
        return this.#arm();
      case 'await':
        return this.#catchUp(command.calls, Number(command.rv));
      case 'report':
        return this.#report();
    }
  }

  async #start(): Promise<PhaseReply> {
    this.#meters.begin();
    const startMs = performance.now();
    const isTold = this.#tally.reached(this.#config.objects);
    const library = this.#make(this.#config, this.#tally);
    this.#library = library;
    this.#tally.merged = () => library.merged;
    await library.start();
    await (library.failed === undefined ? isTold : Promise.race([isTold, library.failed]));
    const wallMs = performance.now() - startMs;
    return { wallMs, meters: await this.#meters.end(), calls: this.#tally.calls };
  }

  #arm(): Reply {
    const { lookupsPerSecond = 0 } = this.#config;
    const lookups = this.#library?.lookups;
    this.#tally.arm();
    if (lookups !== undefined && lookupsPerSecond > 0) {
      this.#lookups = new LookupLoop(lookups, lookupsPerSecond);
    }
    this.#meters.begin();
    return { event: 'armed' };
  }

  async #catchUp(calls: number, version: number): Promise<Reply> {
    const tally = this.#tally;
    const limit = new AbortController();
    const gaveUp = await Promise.race([
      tally.reached(calls, version).then(() => false),
      sleep(CATCH_UP_MS, true, { signal: limit.signal }).catch(() => true),
    ]);
    limit.abort();
    const wallMs = tally.lastMs - tally.firstMs;
    const reply = { wallMs, calls: tally.calls, ...(gaveUp && { gaveUp }) };
    this.#lookups?.stop();
    return { event: 'caught-up', ...reply, meters: await this.#meters.end() };
  }

  #report(): Reply {
    const library = this.#library!;
    const { adds, updates, deletes, outOfOrder } = this.#tally;
    const { merged } = library;
    const memory = memoryNow(library.sharedBytes);
    this.#tally.write();
    const errors = [...library.errors, ...this.#lookupErrors()].slice(0, MOST_ERRORS);
    const answer = { ...hashOfCache(library.cached()), adds, updates, deletes, outOfOrder, merged, errors };
    return { event: 'report', memory, answer };
  }

  #lookupErrors(): string[] {
    const loop = this.#lookups;
    return loop !== undefined && loop.done > 0 && loop.found === 0 ? ['no lookup found anything'] : [];
  }
}

async function say(reply: Reply): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(reply)}\n`)) await once(process.stdout, 'drain');
}
