/** Tells tracers by `node:diagnostics_channel` what happens to informers. */
import { channel } from 'node:diagnostics_channel';
import type { InformerError, SharedInformer } from '../informer/index.ts';
import type { ReflectorState, ResourceRef } from '../reflector/index.ts';

/** Names of the channels. Each message has `resource` and what {@link InformerMessages} says. */
export const CHANNELS = {
  error: 'kubering:informer:error',
  synced: 'kubering:informer:synced',
  state: 'kubering:reflector:state',
  connect: 'kubering:reflector:connect',
  progress: 'kubering:reflector:progress',
} as const;

/** Messages by channel. */
export interface InformerMessages {
  readonly 'kubering:informer:error': { readonly resource: ResourceRef; readonly error: InformerError };
  readonly 'kubering:informer:synced': { readonly resource: ResourceRef };
  readonly 'kubering:reflector:state': { readonly resource: ResourceRef; readonly state: ReflectorState };
  readonly 'kubering:reflector:connect': { readonly resource: ResourceRef };
  readonly 'kubering:reflector:progress': {
    readonly resource: ResourceRef;
    /** Objects of the running list so far, and how many are to come when the server says so. */
    readonly items: number;
    readonly remaining?: number;
  };
}

const errors = channel(CHANNELS.error);
const syncs = channel(CHANNELS.synced);
const states = channel(CHANNELS.state);
const connects = channel(CHANNELS.connect);
const progress = channel(CHANNELS.progress);

const traced = new WeakSet<SharedInformer>();

/**
 * Publishes what these informers emit, which is rare: nothing is published for single objects. An informer that is
 * traced already is left as it is, so that it can be called again with `factory.informers` when there are new ones.
 * While nobody subscribes to a channel, its messages are not even made.
 *
 * @returns a function that ends it for the informers that this call added
 */
export function traceInformers(informers: Iterable<SharedInformer>): () => void {
  const ends = [...informers].filter((informer) => !traced.has(informer)).map(trace);
  return () => {
    for (const end of ends) end();
  };
}

function trace(informer: SharedInformer): () => void {
  const { resource } = informer;
  const onError = (error: InformerError) => {
    if (errors.hasSubscribers) errors.publish({ resource, error });
  };
  const onSynced = () => {
    if (syncs.hasSubscribers) syncs.publish({ resource });
  };
  const onState = (state: ReflectorState) => {
    if (states.hasSubscribers) states.publish({ resource, state });
  };
  const onConnect = () => {
    if (connects.hasSubscribers) connects.publish({ resource });
  };
  const onProgress = (figures: { items: number; remaining?: number }) => {
    if (progress.hasSubscribers) progress.publish({ resource, ...figures });
  };
  traced.add(informer);
  informer.on('error', onError).on('synced', onSynced).on('state', onState);
  informer.on('connect', onConnect).on('progress', onProgress);
  return () => {
    traced.delete(informer);
    informer.off('error', onError).off('synced', onSynced).off('state', onState);
    informer.off('connect', onConnect).off('progress', onProgress);
  };
}
