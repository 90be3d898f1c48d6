import {
  type CoreEvent,
  type EventClient,
  type EventError,
  type EventPatch,
  EventRecorder,
  type EventRecorderOptions,
} from '../../src/controller/index.ts';
import { FakeApiException } from './fake-leases.ts';
import { ManualClock } from './manual-clock.ts';

export const WIDGET = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
};

/** Events on an API server in memory. */
export class FakeEvents implements EventClient {
  readonly created: CoreEvent[] = [];
  readonly patched: (EventPatch & { name: string })[] = [];
  /** What goes wrong with the next requests, as HTTP status or error. */
  readonly failures: (number | Error)[] = [];
  isHanging = false;
  requests = 0;
  onRequest: () => void = () => {};

  create = async (event: CoreEvent): Promise<void> => {
    await this.#request();
    this.created.push(event);
  };

  async patch({ namespace, name }: { namespace: string; name: string }, patch: EventPatch): Promise<void> {
    await this.#request();
    this.patched.push({ name: `${namespace}/${name}`, ...patch });
  }

  async #request(): Promise<void> {
    this.requests++;
    this.onRequest();
    if (this.isHanging) await new Promise(() => {});
    const failure = this.failures.shift();
    if (failure !== undefined) throw typeof failure === 'number' ? new FakeApiException(failure) : failure;
  }
}

/** A recorder at the beginning of time. */
export function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new ManualClock();
  const client = new FakeEvents();
  const errors: EventError[] = [];
  const recorder = new EventRecorder(client, {
    component: 'operator',
    clock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, client, errors, recorder };
}

export function named(name: string) {
  return { ...WIDGET, metadata: { ...WIDGET.metadata, name } };
}
