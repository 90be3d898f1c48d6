/** The inside of a reconcile thread: reconciles keys with the user's module, on caches of the home thread. */
import type { InformerHandle, Lister } from '../../informer/index.ts';
import { type ReconcileFunction, type RecordedWrite, Turn } from './context.ts';
import type { ReconcileModuleError } from './errors.ts';
import { verdictOf } from './result.ts';
import {
  type AbortMessage,
  errorOf,
  type LoadReply,
  type LoadTask,
  plainError,
  type ReconcileReply,
  type ReconcileTask,
  type Task,
} from './thread-messages.ts';

/** Reads a cache of the home thread, given what `handle()` of the informer gave there. */
type Attach = (handle: InformerHandle) => Lister<object>;

interface Loaded {
  readonly reconcile: ReconcileFunction;
  readonly lister: Lister<object>;
  readonly listers: Readonly<Record<string, Lister<object>>>;
}

/** What does the tasks of a thread: the first one loads, each other one reconciles a key. */
export function threadTasks(attach: Attach): (task: Task) => Promise<LoadReply | ReconcileReply> {
  let loaded: Promise<Loaded> | undefined;
  const abortable = new Abortable();
  return async (task) => {
    if (task.type === 'reconcile') return reconcile(await loaded!, task, abortable);
    task.port.on('message', (message: AbortMessage) => abortable.abort(message));
    task.port.unref();
    loaded = load(task, attach);
    return loaded.then(
      () => ({ type: 'loaded' }),
      (error: Unusable) => ({ type: 'unusable', code: error.code, cause: error.plainCause }),
    );
  };
}

/** The one reconcile that runs. */
class Abortable {
  #running: { readonly id: number; readonly controller: AbortController } | undefined;
  /** The last message, which can be faster than its task. */
  #message: AbortMessage | undefined;

  begin(id: number): AbortSignal {
    const controller = new AbortController();
    this.#running = { id, controller };
    if (this.#message !== undefined) this.abort(this.#message);
    return controller.signal;
  }

  end(): void {
    this.#running = undefined;
  }

  abort(message: AbortMessage): void {
    this.#message = message;
    if (this.#running?.id === message.id) this.#running.controller.abort(errorOf(message.reason));
  }
}

class Unusable extends Error {
  readonly code: ReconcileModuleError['code'];

  constructor(code: ReconcileModuleError['code'], cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }

  get plainCause() {
    return this.cause === undefined ? undefined : plainError(this.cause);
  }
}

/** @throws Unusable */
async function load({ module, handle, handles }: LoadTask, attach: Attach): Promise<Loaded> {
  const reconcile = await exportOf(module);
  try {
    const listers = Object.entries(handles).map(([name, one]) => [name, attach(one)] as const);
    return { reconcile, lister: attach(handle), listers: Object.fromEntries(listers) };
  } catch (error) {
    throw new Unusable('not-attached', error);
  }
}

async function exportOf(module: string): Promise<ReconcileFunction> {
  let exports: { readonly reconcile?: unknown; readonly default?: unknown };
  try {
    exports = await import(module);
  } catch (error) {
    throw new Unusable('not-loaded', error);
  }
  const reconcile = exports.reconcile ?? exports.default;
  if (typeof reconcile !== 'function') throw new Unusable('no-export');
  return reconcile as ReconcileFunction;
}

async function reconcile(
  { reconcile, lister, listers }: Loaded,
  { id, request, attempt }: ReconcileTask,
  abortable: Abortable,
): Promise<ReconcileReply> {
  const signal = abortable.begin(id);
  const writes: RecordedWrite[] = [];
  const turn = new Turn({ lister, listers, signal, attempt, record: (write) => writes.push(essence(write)) });
  try {
    const verdict = verdictOf(await reconcile(request, turn.context), turn.askedMs);
    return { writes, outcome: { type: 'done', verdict } };
  } catch (error) {
    return { writes, outcome: { type: 'failed', error: plainError(error) } };
  } finally {
    abortable.end();
  }
}

/** What is looked at of a write: objects are large, and may hold what can't be cloned. */
function essence({ resource, object, isDelete }: RecordedWrite): RecordedWrite {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const { group, version, resource: plural } = resource;
  return {
    resource: { group, version, resource: plural },
    object: { metadata: { name, namespace, uid, resourceVersion } },
    isDelete,
  };
}
