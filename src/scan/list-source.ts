import { Backlog } from './backlog.ts';
import type { ScanEngine } from './engine.ts';
import { byteText, describeProblem, type ScanProblem, type ScanProblemReason, Step } from './step.ts';

/** No step yet: the next token can be read. */
export const GO_ON = -1;

/** What the readers of a list's parts share: the bytes, and what is wrong with them. */
export class ListSource {
  readonly engine: ScanEngine;
  readonly backlog: Backlog;
  isEnded = false;
  hasFailed = false;
  hasIdentity = false;
  problem: ScanProblem | undefined;
  /** A token that did not end is tried again with so many bytes: twice as many, so no byte is tried often. */
  wantedBytes = 1;

  constructor(engine: ScanEngine) {
    this.engine = engine;
    this.backlog = new Backlog(engine.window);
  }

  bad(problem: ScanProblem): Step {
    this.problem = problem;
    return Step.bad;
  }

  failWith(problem: ScanProblem): Step {
    this.problem = problem;
    this.hasFailed = true;
    return Step.failed;
  }

  fail(reason: ScanProblemReason, address: number, what: string, keyHint?: string): Step {
    return this.failWith(this.describe(reason, address, what, keyHint));
  }

  /** The byte at `address` is wrong. */
  failAt(address: number, where: string): Step {
    return this.fail('malformed', address, `${byteText(this.engine.bytes[address]!)} can't stand ${where}`);
  }

  /** A token does not end in the bytes that are there; it may have `limitBytes`. */
  waitFor(limitBytes: number, keyHint?: string): Step {
    const { length, end } = this.backlog;
    if (this.isEnded) return this.fail('truncated', end, 'the body ends inside a value', keyHint);
    this.wantedBytes = Math.max(Math.min(length * 2, limitBytes + 1), length + 1);
    return Step.more;
  }

  describe(reason: ScanProblemReason, address: number, what: string, keyHint?: string): ScanProblem {
    return describeProblem(reason, this.backlog.bodyByte(address), what, keyHint);
  }
}
