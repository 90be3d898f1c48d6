/** Single objects of the API: reading and writing them, and the small changes that every controller makes. */

export {
  ApiClient,
  type ApiClientOptions,
  type DeleteOptions,
  type PatchOptions,
  type RequestOptions,
} from './api-client.ts';
export { ApiError, statusOf } from './api-error.ts';
export { type Condition, type ConditionUpdate, secondsTime, setCondition } from './conditions.ts';
export { type ControllerReference, controllerReference } from './controller-reference.ts';
export { addFinalizer, type FinalizersPatch, hasFinalizer, removeFinalizer } from './finalizers.ts';
export { mergePatch } from './merge-patch.ts';
export type { ApiObject, ApiObjectMeta, ObjectName } from './object-name.ts';
export { type ObjectPatcher, patchStatus } from './patch-status.ts';
