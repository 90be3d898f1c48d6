/**
 * The entry of a fake API server in a process or worker thread of its own. It is started by
 * `FakeApiServer.spawn` and answers its remote control; nothing else runs it.
 */

import { setPriority } from 'node:os';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { ChurnOptions } from './churn.ts';
import type { Fault } from './faults.ts';
import type { ChildOptions } from './options.ts';
import type { PodOptions } from './pods.ts';
import type { ResourceName } from './resources.ts';
import type { RpcChannel, RpcRequest, RpcResponse } from './rpc.ts';
import type { GenerateOptions } from './seed.ts';
import { FakeApiServer } from './server.ts';
import { ApiStatusError } from './status.ts';

const channel = openChannel();
if (channel !== undefined) await serve(channel, readOptions());

async function serve(channel: RpcChannel, { niceness, ...options }: ChildOptions): Promise<void> {
  let server: FakeApiServer;
  try {
    if (niceness !== undefined) setPriority(niceness);
    server = await FakeApiServer.start(options);
  } catch (error) {
    channel.send({ failed: (error as Error).message });
    return;
  }
  const methods = methodsOf(server);
  channel.onMessage((message) => void answer(channel, methods, message as RpcRequest));
  channel.send({ ready: { url: server.url, port: server.port } });
}

type Methods = ReturnType<typeof methodsOf>;

/** What may be called from the other side, by name. */
function methodsOf(server: FakeApiServer) {
  return {
    create: (resource: ResourceName, object: object) => server.create(resource, object),
    update: (resource: ResourceName, object: object) => server.update(resource, object),
    patch: (resource: ResourceName, key: string, patch: object) => server.patch(resource, key, patch),
    delete: (resource: ResourceName, key: string) => server.delete(resource, key),
    get: (resource: ResourceName, key: string) => server.get(resource, key),
    states: (resource: ResourceName) => server.states(resource),
    digest: (resource: ResourceName) => server.digest(resource),
    count: (resource: ResourceName) => server.count(resource),
    seedPods: (count: number, options?: PodOptions) => server.seedPods(count, options),
    generate: (options: GenerateOptions) => server.generate(options),
    churn: (options: ChurnOptions) => server.churn(options),
    closeWatches: () => server.closeWatches(),
    silenceWatches: () => server.silenceWatches(),
    dropConnections: (how?: 'cut' | 'reset') => server.dropConnections(how),
    compact: () => server.compact(),
    skipTo: (resourceVersion: number) => server.skipTo(resourceVersion),
    acceptTokens: (tokens: string[] | undefined) => server.acceptTokens(tokens),
    resourceVersion: () => server.resourceVersion,
    requests: () => server.requests,
    stats: () => server.stats,
    addFault: (fault: Fault) => server.faults.add(fault),
    removeFault: (id: number) => server.faults.remove(id),
    clearFaults: () => server.faults.clear(),
    faultHits: (id: number) => server.faults.hits(id),
    usage: () => ({ cpu: process.cpuUsage(), memory: process.memoryUsage() }),
    stop: () => server.stop(),
  };
}

async function answer(channel: RpcChannel, methods: Methods, request: RpcRequest): Promise<void> {
  const { id, method, args } = request;
  const response: RpcResponse = { id };
  try {
    const call = methods[method as keyof Methods] as (...args: unknown[]) => unknown;
    response.result = await call(...args);
  } catch (error) {
    const { name, message } = error as Error;
    response.error = { name, message };
    if (error instanceof ApiStatusError) response.error.status = error.status;
  }
  channel.send(response);
  if (method === 'stop') leave();
}

function openChannel(): RpcChannel | undefined {
  const port = parentPort;
  if (!isMainThread && port !== null) {
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', listener),
    };
  }
  if (process.send === undefined) return undefined;
  // Without its parent nobody can stop this process, so it stops itself.
  process.on('disconnect', () => process.exit(0));
  return {
    send: (message) => process.send!(message),
    onMessage: (listener) => process.on('message', listener),
  };
}

function readOptions(): ChildOptions {
  return isMainThread ? JSON.parse(process.argv[2] ?? '{}') : (workerData as ChildOptions);
}

function leave(): void {
  if (isMainThread) process.disconnect();
  else parentPort?.close();
}
