/** Requests to which the fake API server has to answer as a real one does: what they are made of. */
import type { Method } from '../../harness/connection.ts';

export interface Question {
  readonly name: string;
  readonly method: Method;
  /**
   * `{ns}` is the namespace of the questions, `{token}` the last continue token that was sent, `{version}` the
   * resourceVersion of the last list, `{uid}` that of the last object.
   */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Placeholders are filled in here too, in texts. */
  readonly body?: unknown;
  /** What else the answers may differ in, and why: the order of keys, the words of a message, or everything. */
  readonly differsIn?: 'order' | 'message' | 'everything';
  readonly because?: string;
  /** It is a watch: its events are compared up to the end, which `timeoutSeconds` brings. */
  readonly isWatch?: boolean;
}

export const CORE = '/api/v1/namespaces/{ns}';
export const MAPS = `${CORE}/configmaps`;
export const WIDGETS = '/apis/conformance.example.com/v1/namespaces/{ns}/widgets';

export const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
export const GZIP = { 'accept-encoding': 'gzip' };
export const SHORT = 'timeoutSeconds=1';
export const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

export function get(name: string, path: string, headers: Question['headers'] = {}): Question {
  return { name, method: 'GET', path, headers };
}

export function watch(name: string, path: string, headers: Question['headers'] = {}): Question {
  return { ...get(name, path, headers), isWatch: true };
}

export function write(method: Method, name: string, path: string, body?: unknown): Question {
  return { name, method, path, body };
}

/** Kinds of patches. */
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

export function patch(name: string, path: string, type: string, body: unknown): Question {
  return { name, method: 'PATCH', path, body, headers: { 'content-type': type } };
}

export function configMap(name: string, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { text: name } };
}

export function widget(
  name: string,
  metadata: object = {},
  spec: object = { zebra: 1, apple: [null, { b: 1, a: 2 }] },
) {
  return { apiVersion: 'conformance.example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** Only the words of the message differ. */
export function inOtherWords(question: Question, because: string): Question {
  return { ...question, differsIn: 'message', because };
}

export function inAnotherOrder(question: Question, because: string): Question {
  return { ...question, differsIn: 'order', because };
}

/** What the fake API server does not do, as `docs/testing-server.md` says. */
export function otherwise(question: Question, because: string): Question {
  return { ...question, differsIn: 'everything', because };
}

export const SORTED = 'keys of custom resources are sorted there, also when only metadata is asked for';
export const GO_WORDS = 'they are those of a parser in Go';
