import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  IntOrString,
  V1ContainerPort,
  V1CustomResourceDefinition,
  V1IngressList,
  V1JSONSchemaProps,
  V1Lease,
  V1NetworkPolicyIngressRule,
  V1ObjectMeta,
  V1Pod,
  V1PodTemplateSpec,
  V1Secret,
  V1ServicePort,
} from '@kubernetes/client-node';
import * as clientNode from '@kubernetes/client-node';
import type { Json, JsonValue } from '../../src/index.ts';
import { holds, type Same } from './holds.ts';

type Pod = Json<V1Pod>;

describe('Json', () => {
  it('has strings where client-node has dates, at every depth', () => {
    holds<Same<NonNullable<Pod['status']>['startTime'], string | undefined>>();
    holds<Same<JsonValue<V1ObjectMeta>['creationTimestamp'], string | undefined>>();
    holds<Same<JsonValue<V1ObjectMeta>['deletionTimestamp'], string | undefined>>();
    holds<Same<NonNullable<JsonValue<V1ObjectMeta>['managedFields']>[number]['time'], string | undefined>>();
    holds<Same<NonNullable<Json<V1Lease>['spec']>['renewTime'], string | undefined>>();

    // @ts-expect-error: a string has no getTime
    const timeOf = (pod: Pod) => pod.metadata.creationTimestamp.getTime();
    assert.ok(timeOf);
  });

  it('keeps what is JSON already', () => {
    holds<Same<JsonValue<V1ContainerPort>, { [Key in keyof V1ContainerPort]: V1ContainerPort[Key] }>>();
    holds<Same<JsonValue<V1ServicePort>['targetPort'], IntOrString | undefined>>();
    holds<Same<Json<V1Secret>['data'], { [key: string]: string } | undefined>>();
    holds<
      Same<
        JsonValue<string | number | boolean | null | undefined>,
        string | number | boolean | null | undefined
      >
    >();
    // biome-ignore lint/suspicious/noExplicitAny: that is what is compared
    holds<Same<JsonValue<any>, any>>();
  });

  it('knows that an object of the API says what it is', () => {
    holds<Same<Pod['kind'], string>>();
    holds<Same<Pod['apiVersion'], string>>();
    holds<Same<Pod['metadata']['name'], string>>();
    holds<Same<Pod['metadata']['uid'], string>>();
    holds<Same<Pod['metadata']['resourceVersion'], string>>();
    holds<Same<Pod['metadata']['creationTimestamp'], string>>();
    holds<Same<Pod['metadata']['namespace'], string | undefined>>();
  });

  it('asks nothing of parts that are no objects of their own', () => {
    holds<Same<Json<V1PodTemplateSpec>, JsonValue<V1PodTemplateSpec>>>();
    holds<Same<Json<V1PodTemplateSpec>['metadata'], JsonValue<V1ObjectMeta> | undefined>>();
  });

  it('names fields as the API does', () => {
    holds<Same<keyof JsonValue<V1NetworkPolicyIngressRule>, 'from' | 'ports'>>();
    holds<Same<NonNullable<JsonValue<V1IngressList>['metadata']>['continue'], string | undefined>>();
    const schema: JsonValue<V1JSONSchemaProps> = {
      $ref: '#/x',
      enum: ['a'],
      'x-kubernetes-int-or-string': true,
      properties: { inner: { default: 1 } },
    };
    // @ts-expect-error: client-node's name for it
    schema._enum;
    assert.ok(schema);
  });

  it('goes into types that contain themselves', () => {
    const schemaOf = (definition: Json<V1CustomResourceDefinition>) =>
      definition.spec.versions[0]?.schema?.openAPIV3Schema;
    holds<
      Same<
        NonNullable<ReturnType<typeof schemaOf>>['properties'],
        { [key: string]: JsonValue<V1JSONSchemaProps> } | undefined
      >
    >();
  });

  it('knows every name that client-node changes', () => {
    const known = new Map<string, string>();
    for (const name of ['continue', 'default', 'enum', 'from', 'int']) known.set(`_${name}`, name);
    for (const name of ['ref', 'schema']) known.set(name, `$${name}`);
    const extensions = ['embedded_resource', 'int_or_string', 'list_map_keys', 'list_type', 'map_type'];
    for (const name of [...extensions, 'preserve_unknown_fields', 'validations']) {
      known.set(`x_kubernetes_${name}`, `x_kubernetes_${name}`.replaceAll('_', '-'));
    }
    const changed = new Map<string, string>();
    for (const model of Object.values(clientNode) as { getAttributeTypeMap?: () => Attribute[] }[]) {
      for (const { name, baseName } of model.getAttributeTypeMap?.() ?? []) {
        if (name !== baseName) changed.set(name, baseName);
      }
    }

    assert.deepEqual(new Map([...changed].sort()), new Map([...known].sort()));
  });
});

interface Attribute {
  name: string;
  baseName: string;
}
