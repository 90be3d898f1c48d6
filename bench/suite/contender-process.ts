/** The process of one contender in one sample. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command, ContenderConfig, Reply, ReplyTo } from './protocol.ts';

/** How a contender is started; its config is appended as the last argument. */
export interface StartCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Thrown when a contender ends, is silent for too long, or says something that was not its turn to say. */
export class ContenderError extends Error {
  override readonly name = 'ContenderError';
}

/** What is shown of a failed contender's own words. */
const STDERR_CHARACTERS = 2000;

/** Time to end by itself before it is killed. */
const EXIT_LIMIT_MS = 5_000;

export class ContenderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stderr = '';
  #expected: { event: Reply['event']; answer: PromiseWithResolvers<Reply> } | undefined;
  #failure: ContenderError | undefined;

  constructor({ file, args, env }: StartCommand, config: ContenderConfig) {
    this.#child = spawn(file, [...args, JSON.stringify(config)], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close').catch(() => {});
    this.#child.on('error', (error) => this.#fail(`it could not be started: ${error.message}`));
    this.#child.on('close', (code, signal) => this.#fail(`its process ended with ${code ?? signal}`));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS);
    });
    // Writing to a process that is gone is no news: its end is noticed anyway.
    this.#child.stdin!.on('error', () => {});
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#read(line));
  }

  /** Sends a command and waits for its reply. @throws {@link ContenderError} */
  async ask<Event extends Reply['event']>(
    command: Command,
    event: Event,
    limitMs: number,
  ): Promise<ReplyTo<Event>> {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = Promise.withResolvers<Reply>();
    this.#expected = { event, answer };
    const timer = setTimeout(
      () => this.#fail(`it did not say '${event}' in ${Math.round(limitMs / 1000)} s`),
      limitMs,
    );
    try {
      this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
      return (await answer.promise) as ReplyTo<Event>;
    } finally {
      clearTimeout(timer);
      this.#expected = undefined;
    }
  }

  /** Lets it end by itself, and ends it when it does not. */
  async end(): Promise<void> {
    this.#failure ??= new ContenderError('it was told to end');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), EXIT_LIMIT_MS);
    this.#child.stdin!.end(`${JSON.stringify({ cmd: 'exit' } satisfies Command)}\n`);
    await this.#ended;
    clearTimeout(timer);
  }

  /** For an interrupted run: at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #read(line: string): void {
    let reply: Reply;
    try {
      reply = JSON.parse(line) as Reply;
    } catch {
      this.#fail(`it wrote a line that is no reply: ${line.slice(0, 200)}`);
      return;
    }
    const expected = this.#expected;
    if (expected?.event === reply.event) expected.answer.resolve(reply);
    else this.#fail(`it said '${reply.event}' when '${expected?.event ?? 'nothing'}' was expected`);
  }

  #fail(why: string): void {
    if (this.#failure !== undefined) return;
    const words = this.#stderr.trim();
    this.#failure = new ContenderError(words === '' ? why : `${why}; it wrote: ${words}`);
    this.#expected?.answer.reject(this.#failure);
  }
}
