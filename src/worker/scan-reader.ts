/** What readers of lists and of watches share: the loop over a framer's steps, and what is wrong. */
import { type BodyProblem, ReadState } from '../reflector/index.ts';
import { isTrap, type ListFramer, Step, type WatchFramer } from '../scan/index.ts';
import { BadObjects, problemOf } from './bad-objects.ts';
import type { ReflectorSink } from './sink.ts';

export abstract class ScanReader<Framer extends ListFramer | WatchFramer> {
  problem: BodyProblem | undefined;

  protected readonly sink: ReflectorSink;
  protected readonly framer: Framer;
  protected readonly bad: BadObjects;

  constructor(sink: ReflectorSink, framer: Framer) {
    this.sink = sink;
    this.framer = framer;
    this.bad = new BadObjects(sink.options.what, sink.options.tell);
  }

  push(chunk: Uint8Array): void {
    try {
      this.framer.push(chunk);
    } catch (error) {
      throw this.#noteTrap(error);
    }
  }

  end(): void {
    this.framer.end();
  }

  read(): ReadState {
    const { writer } = this.sink.options;
    // Replaced bodies come back all the time: their room is used before the arena grows.
    writer.takeReleases();
    const state = this.#readUntilTrap();
    writer.flush();
    if (state === ReadState.done || state === ReadState.failed) this.close();
    return state;
  }

  close(): void {
    this.bad.close();
    this.framer.close();
  }

  /** Uses the object that the framer found. `more` goes on; after `full` it is given again. */
  protected abstract useObject(): ReadState;

  /** Uses what is known of an object that is broken. The same holds. */
  protected abstract useBad(): ReadState;

  /** The body is complete. */
  protected finish(): void {}

  #readUntilTrap(): ReadState {
    try {
      return this.#readAll();
    } catch (error) {
      throw this.#noteTrap(error);
    }
  }

  #noteTrap(error: unknown): unknown {
    if (isTrap(error)) this.sink.options.onTrap(error);
    return error;
  }

  #readAll(): ReadState {
    for (;;) {
      const step = this.framer.next();
      let state: ReadState = ReadState.more;
      if (step === Step.item || step === Step.event) {
        state = this.useObject();
      } else if (step === Step.bad) {
        state = this.useBad();
      } else if (step === Step.more) {
        return ReadState.more;
      } else if (step === Step.done) {
        this.finish();
        return ReadState.done;
      } else {
        this.problem = problemOf(this.framer.problem!);
        return ReadState.failed;
      }
      if (state === ReadState.full) this.framer.unread();
      if (state !== ReadState.more) return state;
    }
  }
}
