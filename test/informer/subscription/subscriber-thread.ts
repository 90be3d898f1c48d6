/** A thread that subscribes to an informer of another one, notes what it gets, and answers what it is asked. */
import { parentPort, workerData } from 'node:worker_threads';
import { type InformerHandle, Lister, type SubscribeOptions } from '../../../src/index.ts';
import type { Thing } from '../harness.ts';

export interface SubscriberData {
  readonly handle: InformerHandle;
  readonly options: SubscribeOptions<Thing>;
  /** The handler's promises settle when the thread is told to go on. */
  readonly isHeld: boolean;
}

export type Command = 'goOn' | 'report' | 'close' | 'detach';

export interface Report {
  /** Events so far, each in a line. */
  readonly lines: readonly string[];
  /** What the events amount to: key and value of each object. */
  readonly model: readonly string[];
  /** What no subscriber may ever see. */
  readonly wrong: readonly string[];
  readonly laps: number;
  readonly delivered: number;
  readonly isSynced: boolean;
  readonly isClosed: boolean;
}

if (parentPort !== null) {
  const port = parentPort;
  const { handle, options, isHeld } = workerData as SubscriberData;
  const lister = Lister.attach<Thing>(handle);
  const gate = Promise.withResolvers<void>();
  const lines: string[] = [];
  const wrong: string[] = [];
  const model = new Map<string, Thing>();
  let isSynced = false;
  let isClosed = false;

  const subscription = await lister.subscribe(
    {
      onEvent(event) {
        const { type, key, object, oldObject } = event;
        const known = model.get(key);
        const { resourceVersion } = object.metadata;
        if (type !== 'delete' && resourceVersion !== event.resourceVersion) wrong.push(`${key} is torn`);
        if ((known === undefined) !== (type === 'add'))
          wrong.push(`${type} of ${key}, which is ${known ? '' : 'not '}known`);
        if (type === 'update' && oldObject!.spec?.value !== known?.spec?.value)
          wrong.push(`${key} was another`);
        if (known !== undefined && Number(known.metadata.resourceVersion) > Number(resourceVersion))
          wrong.push(`${key} is older`);
        if (type === 'delete') model.delete(key);
        else model.set(key, object);
        const flags = `${event.isInitial ? ' initial' : ''}${event.isFinalStateUnknown ? ' unknown' : ''}`;
        const before = oldObject === undefined ? '' : ` was ${oldObject.spec?.value}`;
        lines.push(`${type} ${key} ${object.spec?.value} ${event.column('node') ?? '-'}${before}${flags}`);
        return isHeld ? gate.promise : undefined;
      },
    },
    options,
  );
  subscription.synced.then(
    () => {
      isSynced = true;
    },
    () => {},
  );
  void subscription.closed.then(() => {
    isClosed = true;
  });
  port.on('message', async (command: Command) => {
    if (command === 'goOn') gate.resolve();
    if (command === 'close') await subscription.close();
    if (command === 'detach') lister.detach();
    const { laps, delivered } = subscription;
    const values = [...model].map(([key, object]) => `${key} ${object.spec?.value}`).sort();
    port.postMessage({ lines, model: values, wrong, laps, delivered, isSynced, isClosed } satisfies Report);
  });
  port.postMessage('ready');
}
