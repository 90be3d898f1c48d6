/** Lets an audit read the API server in the workers of an informer's reflectors. */
import type { ProbeRequest, ProbeResult, ReflectorSpec } from '../worker/index.ts';
import type { Feed } from './feed.ts';
import type { Hosts } from './hosts.ts';
import type { DeltaConsumer, Pump } from './pump.ts';

/** What a probe has to know of a feed, which is also its name. */
export type ProbedFeed = Pick<Feed<object>, 'resource' | 'health'>;

export interface ProbeDeskOptions {
  readonly pump: Pump;
  readonly hosts: () => Hosts;
  /** A number that nobody has on the ring. */
  readonly nextSource: () => number;
  /** The number of a feed's reflector; undefined when that does not run. */
  readonly sourceOf: (feed: ProbedFeed) => number | undefined;
  readonly specOf: (feed: ProbedFeed, source: number) => ReflectorSpec;
}

/** A read that runs, or whose records may still come. */
export interface RunningProbe {
  readonly result: Promise<ProbeResult>;
  /** Nothing goes to the consumer afterwards; what still comes for it is given back. Harmless twice. */
  close(): void;
}

/** What an audit reads the API server with. */
export interface Prober {
  /** @param consumer - gets the records of the probe */
  open(feed: ProbedFeed, request: ProbeRequest, consumer: DeltaConsumer): RunningProbe;
}

const NOT_RUNNING: ProbeResult = {
  type: 'failed',
  code: 'stopped',
  message: 'the informer does not run',
  status: 0,
};

export class ProbeDesk implements Prober {
  readonly #options: ProbeDeskOptions;

  constructor(options: ProbeDeskOptions) {
    this.#options = options;
  }

  open(feed: ProbedFeed, request: ProbeRequest, consumer: DeltaConsumer): RunningProbe {
    const { pump, hosts, nextSource, sourceOf, specOf } = this.#options;
    const beside = sourceOf(feed);
    if (beside === undefined) return { result: Promise.resolve(NOT_RUNNING), close() {} };
    const source = nextSource();
    pump.addConsumer(source, consumer);
    return {
      result: hosts().probe(beside, specOf(feed, source), request),
      close() {
        hosts().stopProbe(beside, source);
        pump.removeConsumer(source);
      },
    };
  }
}
