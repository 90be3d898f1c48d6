/**
 * How a request to subscribe reaches its informer: posted to the thread by its number, because a handle can be cloned
 * any number of times, and a port can't. A port that is part of the request says later when one of the threads ends.
 */
import { postMessageToThread, threadId } from 'node:worker_threads';
import { StoppedError } from '../errors.ts';
import { type FeederMessage, SUBSCRIBE, type SubscribeRequest } from './messages.ts';

type Opener = (request: SubscribeRequest) => void;

/** Of the informers of this thread that have given out handles, by the channel of their store. */
const openers = new Map<string, Opener>();

/** @returns ends it */
export function answerRequests(channel: string, open: Opener): () => void {
  if (openers.size === 0) process.on('workerMessage', receive);
  openers.set(channel, open);
  return () => {
    openers.delete(channel);
    if (openers.size === 0) process.off('workerMessage', receive);
  };
}

/**
 * @param thread - that of the informer
 * @throws StoppedError (as a rejection) when the thread has ended, or no informer of it takes requests
 */
export async function postRequest(thread: number, request: SubscribeRequest): Promise<void> {
  if (thread === threadId) {
    take(request);
    return;
  }
  try {
    await postMessageToThread(thread, request, [request.port]);
  } catch (error) {
    request.port.close();
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_MESSAGING_FAILED') throw error;
    throw new StoppedError(
      'the informer of this handle was stopped, or its thread has ended: get a new handle',
    );
  }
}

/** Others may use the same way for messages of their own. */
function receive(message: unknown): void {
  const request = message as Partial<SubscribeRequest> | null | undefined;
  if (request?.type === SUBSCRIBE) take(request as SubscribeRequest);
}

function take(request: SubscribeRequest): void {
  const open = openers.get(request.channel);
  if (open !== undefined) {
    open(request);
    return;
  }
  request.port.postMessage({ type: 'refused' } satisfies FeederMessage);
  request.port.close();
}
