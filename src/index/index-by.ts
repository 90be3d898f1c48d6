/** Field paths of common indexes. */
import { quoteKey } from './path-step.ts';

/**
 * Ready-made field paths, for example
 * `indexers: { byNode: indexBy.nodeName, byApp: indexBy.label('app.kubernetes.io/name') }`.
 */
export const indexBy = {
  /** Objects of one namespace; cluster-scoped objects have no value. */
  namespace: 'metadata.namespace',
  /** Objects that an object owns, by the uid of each owner. */
  ownerUid: 'metadata.ownerReferences[*].uid',
  /** Objects that an object controls: only the owner that is their controller counts. */
  controllerUid: 'metadata.ownerReferences[?(@.controller==true)].uid',
  /** Pods of one node; Pods that are not scheduled have no value. */
  nodeName: 'spec.nodeName',
  /** Pods, namespaces, volumes and others by `status.phase`. */
  phase: 'status.phase',
  /** Objects by the value of a label. */
  label: (name: string) => `metadata.labels[${quoteKey(name)}]`,
  /** Objects that have a label, whatever its value: `byIndex('byLabelName', 'app')`. */
  labelName: 'keys(metadata.labels)',
  /** Objects by the value of an annotation. */
  annotation: (name: string) => `metadata.annotations[${quoteKey(name)}]`,
  /** Objects by the status (`True`, `False`, `Unknown`) of one of their conditions, for example `Ready`. */
  condition: (type: string) => `status.conditions[?(@.type==${quoteKey(type)})].status`,
} as const;
