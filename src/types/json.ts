/** The types of client-node, as the API server sends what they describe. Types only: nothing here runs. */

/**
 * What client-node names otherwise than the API, because the word is reserved or no identifier: `_from`, `_continue`,
 * `_default`, `_enum`, `_int`.
 */
type WireName<Name> = Name extends `_${infer Plain}` ? Plain : Name;

/** The names of a JSON schema, the one model whose names differ in more than an underscore. */
interface SchemaWireNames {
  ref: '$ref';
  schema: '$schema';
  x_kubernetes_embedded_resource: 'x-kubernetes-embedded-resource';
  x_kubernetes_int_or_string: 'x-kubernetes-int-or-string';
  x_kubernetes_list_map_keys: 'x-kubernetes-list-map-keys';
  x_kubernetes_list_type: 'x-kubernetes-list-type';
  x_kubernetes_map_type: 'x-kubernetes-map-type';
  x_kubernetes_preserve_unknown_fields: 'x-kubernetes-preserve-unknown-fields';
  x_kubernetes_validations: 'x-kubernetes-validations';
}

type SchemaWireName<Name> = Name extends keyof SchemaWireNames ? SchemaWireNames[Name] : WireName<Name>;

// biome-ignore lint/complexity/noBannedTypes: every function is meant
type AnyFunction = Function;

/** Keys with their names on the wire; methods have none. */
type WireKey<T, Key extends keyof T> =
  NonNullable<T[Key]> extends AnyFunction
    ? IsAny<T[Key]> extends true
      ? WireName<Key>
      : never
    : 'x_kubernetes_validations' extends keyof T
      ? SchemaWireName<Key>
      : WireName<Key>;

type IsAny<T> = 0 extends 1 & T ? true : false;

/**
 * Any value of client-node's models as it is in JSON: dates are strings, methods are gone, names are those of the
 * API, at every depth. What is JSON already stays as it is, `IntOrString` and `any` too.
 */
export type JsonValue<T> =
  IsAny<T> extends true
    ? T
    : T extends Date
      ? string
      : T extends readonly (infer Item)[]
        ? JsonValue<Item>[]
        : T extends object
          ? keyof T extends never
            ? T
            : { [Key in keyof T as WireKey<T, Key>]: JsonValue<T[Key]> }
          : T;

/** What every object that a server stores has. */
export interface StoredMetadata {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/**
 * An object as kubering gives it, from a type of client-node: `Json<V1Pod>` is a Pod as the API server sends it.
 * Unlike in client-node's types, which describe what people write as well, an object of the API has `kind`,
 * `apiVersion` and `metadata` with name, uid, resourceVersion and creation time, for a stored object always has them.
 */
export type Json<T> = T extends { apiVersion?: string; kind?: string; metadata?: infer Metadata }
  ? 'kind' extends keyof T
    ? Omit<JsonValue<T>, 'apiVersion' | 'kind' | 'metadata'> & {
        apiVersion: string;
        kind: string;
        metadata: JsonValue<NonNullable<Metadata>> & StoredMetadata;
      }
    : JsonValue<T>
  : JsonValue<T>;
