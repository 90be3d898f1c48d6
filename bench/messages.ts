/** What the process of a contender and the one that leads the run tell each other. */
import type { ChildProcess } from 'node:child_process';
import type { Answer } from './answer.ts';
import type { Entrant } from './contenders/index.ts';
import type { Figures } from './figures.ts';

/** Given to a contender's process on its command line. */
export interface ContenderTask extends Entrant {
  readonly kubeConfigYaml: string;
  readonly pods: number;
  readonly events: number;
}

/** In this order; `failed` may come at any time, and is the last. */
export type FromContender =
  | { readonly type: 'listed' }
  | { readonly type: 'armed' }
  | { readonly type: 'done'; readonly figures: Figures; readonly answer: Answer }
  | { readonly type: 'failed'; readonly message: string };

export type ToContender =
  /** The watch is open: get ready for the updates. */
  | { readonly type: 'arm' }
  /** The server has made all updates. */
  | { readonly type: 'changed' };

type MessageOf<Type extends FromContender['type']> = Extract<FromContender, { type: Type }>;

/** Longest wait for one message: on a busy machine a list takes seconds, never minutes. */
const MESSAGE_LIMIT_MS = 180_000;

/** Waits for a contender's next message, which has to be of this type. */
export function nextMessage<Type extends FromContender['type']>(
  child: ChildProcess,
  type: Type,
): Promise<MessageOf<Type>> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      act();
    };
    const fail = (why: string): void => settle(() => reject(new Error(why)));
    const onExit = (code: number | null, signal: string | null): void =>
      fail(`its process ended with ${code ?? signal} before it said '${type}'`);
    const onMessage = (raw: unknown): void => {
      const message = raw as FromContender;
      if (message.type === type) settle(() => resolve(message as MessageOf<Type>));
      else if (message.type === 'failed') fail(message.message);
      else fail(`it said '${message.type}' instead of '${type}'`);
    };
    const timer = setTimeout(
      () => fail(`it did not say '${type}' in ${MESSAGE_LIMIT_MS} ms`),
      MESSAGE_LIMIT_MS,
    );
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
