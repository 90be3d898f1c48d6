export { kubeConfigObject, kubeConfigOf } from './kube-config.ts';
export { type Library, resourcesOf } from './library.ts';
export { objectHandler } from './object-handler.ts';
export { APP_LABEL, type BenchObject, keyOf, partsOf, VERSION_LABEL, versionOf } from './objects.ts';
export { serve } from './serve.ts';
export type { Tally } from './tally.ts';
