/**
 * Which events are worth a reconcile. Those here look at the bytes of an object and decode nothing. They let through
 * what is not an update, and every update of an object that is being deleted: others take their finalizers away one
 * by one, and nothing else may change then.
 *
 * Source: controller-runtime's `pkg/predicate/predicate.go`; the rule for deletions is KubeOps'.
 */

import type { InformerEvent } from '../../informer/index.ts';
import { UsageError } from '../../informer/index.ts';

/**
 * Whether an event matters. It has to answer at once. Updates have `event.oldRef`, resyncs are updates without a change
 * (`event.isResync`).
 */
export type Predicate<T = object> = (event: InformerEvent<T>) => boolean;

/**
 * Lets updates through that change `metadata.generation`: a change of the spec, not of the status. Objects without a
 * generation, such as ConfigMaps, don't tell, so their updates all pass. Resyncs do not.
 */
export function generationChanged(event: InformerEvent): boolean {
  const { oldRef } = event;
  if (oldRef === undefined) return true;
  const generation = event.jsonAt('metadata.generation');
  if (generation === undefined) return !event.isResync || isBeingDeleted(event);
  return generation !== oldRef.jsonAt('metadata.generation') || isBeingDeleted(event);
}

/** Lets updates through that change labels. */
export function labelsChanged(event: InformerEvent): boolean {
  return differs(event, 'metadata.labels');
}

/** Lets updates through that change annotations. */
export function annotationsChanged(event: InformerEvent): boolean {
  return differs(event, 'metadata.annotations');
}

/** Lets updates through that changed anything: all but resyncs, and updates that a list repeated. */
export function resourceVersionChanged(event: InformerEvent): boolean {
  const { oldRef } = event;
  return oldRef === undefined || event.resourceVersion !== oldRef.resourceVersion || isBeingDeleted(event);
}

/**
 * Lets through what all of them do, asked in order until one does not.
 *
 * @throws UsageError when one is no function
 */
export function and<T>(...predicates: Predicate<T>[]): Predicate<T> {
  checkPredicates(predicates);
  return (event) => predicates.every((predicate) => predicate(event));
}

/**
 * Lets through what any of them does, asked in order until one does.
 *
 * @throws UsageError when one is no function
 */
export function or<T>(...predicates: Predicate<T>[]): Predicate<T> {
  checkPredicates(predicates);
  return (event) => predicates.some((predicate) => predicate(event));
}

/**
 * Lets through what the other one does not.
 *
 * @throws UsageError when it is no function
 */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  checkPredicates([predicate]);
  return (event) => !predicate(event);
}

/** @throws UsageError when one is no function */
export function checkPredicates(predicates: readonly unknown[]): void {
  for (const predicate of predicates) {
    if (typeof predicate === 'function') continue;
    throw new UsageError(`a predicate is a function of an event, not a ${typeof predicate}`);
  }
}

/** The server writes the keys of a map in order, so equal maps are equal text. */
function differs(event: InformerEvent, path: string): boolean {
  const { oldRef } = event;
  return oldRef === undefined || event.jsonAt(path) !== oldRef.jsonAt(path) || isBeingDeleted(event);
}

function isBeingDeleted(event: InformerEvent): boolean {
  return event.jsonAt('metadata.deletionTimestamp') !== undefined;
}
