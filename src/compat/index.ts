/**
 * kubering in place of client-node's informers: everything that `@kubernetes/client-node` exports, with `makeInformer`
 * and `ListWatch` from here. Existing code changes its import and runs.
 *
 * ```ts
 * import * as k8s from 'kubering/compat';
 * ```
 *
 * @packageDocumentation
 */
export * from '@kubernetes/client-node';
export { CompatError } from './errors.ts';
export { ListWatch } from './list-watch.ts';
export { makeInformer } from './make-informer.ts';
export type { CompatOptions } from './options.ts';
