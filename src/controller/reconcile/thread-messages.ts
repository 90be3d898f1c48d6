/** What home thread and reconcile threads say to each other. */
import type { MessagePort } from 'node:worker_threads';
import type { InformerHandle } from '../../informer/index.ts';
import type { RecordedWrite } from './context.ts';
import type { ReconcileModuleError } from './errors.ts';
import type { ReconcileRequest } from './request.ts';
import type { Verdict } from './result.ts';

/** An error as it crosses threads: a clone would lose its code, and fail on what can't be cloned. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}

/** The first task of a thread. */
export interface LoadTask {
  readonly type: 'load';
  /** URL of the user's module. */
  readonly module: string;
  /** Of the caches of `for` and of `listers`. */
  readonly handle: InformerHandle;
  readonly handles: Readonly<Record<string, InformerHandle>>;
  /** Brings {@link AbortMessage}. */
  readonly port: MessagePort;
}

export interface ReconcileTask {
  readonly type: 'reconcile';
  readonly id: number;
  readonly request: ReconcileRequest;
  readonly attempt: number;
}

export type Task = LoadTask | ReconcileTask;

/** Tells a reconcile to end. */
export interface AbortMessage {
  /** Of the task. */
  readonly id: number;
  readonly reason: PlainError;
}

export type LoadReply =
  | { readonly type: 'loaded' }
  | {
      readonly type: 'unusable';
      readonly code: ReconcileModuleError['code'];
      readonly cause: PlainError | undefined;
    };

export interface ReconcileReply {
  /** Also of a reconcile that failed. */
  readonly writes: readonly RecordedWrite[];
  readonly outcome:
    | { readonly type: 'done'; readonly verdict: Verdict }
    | { readonly type: 'failed'; readonly error: PlainError };
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), stack: undefined, code: undefined };
  }
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, stack, code: typeof code === 'string' ? code : undefined };
}

export function errorOf({ name, message, stack, code }: PlainError): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}
