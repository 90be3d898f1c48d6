/** `factory.pods().informer()`, `factory.pods('web').lister()`: one method per built-in resource. */
import type { InformerOptions, Lister, SharedInformer } from '../informer/index.ts';
import type { ResourceRef } from '../reflector/index.ts';
import { resources } from './resources.ts';
import type { ObjectOf, Typed, TypedResource } from './typed-resource.ts';

/** Informer and lister of one resource. Source: `PodInformer` in client-go's `informers/core/v1/pod.go`. */
export interface ResourceAccess<T> {
  /** The shared informer: always the same one, as `informerFor` gives it. */
  informer(options?: InformerOptions<T>): SharedInformer<T>;
  /** Reads the cache of the shared informer, which is made when it is not there yet. */
  lister(): Lister<T>;
}

/** Methods by resource. Those of namespaced resources take a namespace; without one, all are meant. */
export type ResourceAccessors = {
  [Name in keyof typeof resources]: (typeof resources)[Name] extends TypedResource<object, true>
    ? (namespace?: string) => ResourceAccess<ObjectOf<(typeof resources)[Name]>>
    : () => ResourceAccess<ObjectOf<(typeof resources)[Name]>>;
};

/** What makes informers: the factory. */
abstract class Accessors {
  abstract informerFor<T = object>(
    resource: ResourceRef & Typed<T>,
    options?: InformerOptions<T>,
  ): SharedInformer<T>;
}

for (const [name, resource] of Object.entries(resources)) {
  Object.defineProperty(Accessors.prototype, name, {
    value(this: Accessors, namespace?: string): ResourceAccess<object> {
      if (namespace !== undefined && !resource.namespaced) {
        throw new TypeError(`${name}() takes no namespace: the kind ${resource.kind} lies in none`);
      }
      const ref = namespace === undefined ? resource : { ...resource, namespace };
      return {
        informer: (options) => this.informerFor<object>(ref, options),
        lister: () => this.informerFor<object>(ref).lister,
      };
    },
  });
}

/** Base of the factory: gives it a method for each built-in resource. */
export const BuiltInAccessors = Accessors as unknown as abstract new () => Accessors & ResourceAccessors;
