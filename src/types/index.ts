/** Types of what users get, and resources that know them. Holds what no thread needs at run time but the home thread. */

export { BuiltInAccessors, type ResourceAccess, type ResourceAccessors } from './accessors.ts';
export { DiscoveryError, UnknownKindError } from './errors.ts';
export type { Json, JsonValue } from './json.ts';
export { type DiscoveryOptions, type KindName, resourceByKind } from './resource-by-kind.ts';
export { classNameOf, type ModelClass, resourceOf } from './resource-of.ts';
export { groupVersion, resources } from './resources.ts';
export { customResource, type ObjectOf, type Typed, type TypedResource } from './typed-resource.ts';
