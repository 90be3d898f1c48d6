/** Resources that know the type of their objects. */
import type { ResourceRef } from '../reflector/index.ts';

/** Exists in types only: no object has such a property. */
declare const objectType: unique symbol;

/** Carries the type of a resource's objects to whoever is given the resource. */
export interface Typed<T> {
  readonly [objectType]?: T;
}

/** A resource whose informers need no type argument. `{ ...resources.pods, namespace: 'web' }` keeps the type. */
export interface TypedResource<T, Namespaced extends boolean = boolean> extends ResourceRef, Typed<T> {
  /** Singular, in capitals, as in manifests: 'Pod'. */
  readonly kind: string;
  /** False for kinds such as Node, whose objects lie in no namespace. */
  readonly namespaced: Namespaced;
}

/** The type of a resource's objects. */
export type ObjectOf<Resource> = Resource extends Typed<infer T> ? NonNullable<T> : never;

/**
 * A resource with the type that you have for its objects, for custom resources:
 *
 * ```ts
 * const widgets = customResource<Widget>({
 *   group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true,
 * });
 * const informer = factory.informerFor(widgets);   // SharedInformer<Widget>
 * ```
 */
export function customResource<T, Namespaced extends boolean = boolean>(
  resource: Omit<TypedResource<T, Namespaced>, keyof Typed<T>>,
): TypedResource<T, Namespaced> {
  return resource;
}
