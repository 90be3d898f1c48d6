/** From a model class of client-node to the resource whose objects it describes. */
import { UnknownKindError } from './errors.ts';
import type { Json } from './json.ts';
import { resources } from './resources.ts';
import type { TypedResource } from './typed-resource.ts';

/** Kinds of which client-node has several models: their classes have the group in their names. */
const KINDS_WITH_GROUP = new Set(['Event', 'ResourceClaim']);

/** A model class of client-node, of a kind that has objects of its own. */
export type ModelClass<T extends { kind?: string; apiVersion?: string }> = (new () => T) & {
  getAttributeTypeMap(): unknown;
};

const byClassName = new Map(Object.values(resources).map((resource) => [classNameOf(resource), resource]));

/**
 * The resource of a model class: `factory.informerFor(resourceOf(V1Pod))`. The class is found by its name, so a
 * bundler must not shorten the names of classes.
 *
 * @throws UnknownKindError when it is the class of no built-in resource of a stable version
 */
export function resourceOf<T extends { kind?: string; apiVersion?: string }>(
  model: ModelClass<T>,
): TypedResource<Json<T>> {
  const resource = byClassName.get(model?.name);
  if (resource === undefined) {
    throw new UnknownKindError(
      `${String(model?.name)} is the class of no built-in kind of a stable version that can be watched; ` +
        'name the resource with customResource(…), or find it with resourceByKind(…)',
    );
  }
  return resource as TypedResource<object> as TypedResource<Json<T>>;
}

/** 'V1Pod', 'V2HorizontalPodAutoscaler', 'CoreV1Event', 'EventsV1Event', 'ResourceV1ResourceClaim'. */
export function classNameOf({
  group,
  version,
  kind,
}: Pick<TypedResource<object>, 'group' | 'version' | 'kind'>): string {
  const groupWord = group === '' ? 'core' : group.split('.')[0]!;
  return `${KINDS_WITH_GROUP.has(kind) ? capitalized(groupWord) : ''}${capitalized(version)}${kind}`;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
