import type { ApiObject } from '../client/index.ts';

/** Says which object an event is about, as `v1.ObjectReference`. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** A part of the object, for example `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Normal events are for information; warnings are for what somebody may have to look after. */
export type EventType = 'Normal' | 'Warning';

/** What happened. */
export interface EventDetails {
  readonly type: EventType;
  /** One word in CamelCase, for programs: few different ones. */
  readonly reason: string;
  /** For people. What is longer than 1,024 characters is cut. Must not hold secrets: many may read events. */
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The part of the object that it is about. */
  readonly fieldPath?: string;
}

/** An Event of the core group, `v1`, as it travels. */
export interface CoreEvent {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly involvedObject: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** How often it was seen, this one included. */
  readonly count: number;
  /** RFC 3339 in seconds. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** As much as `events.k8s.io` allows for a note. An error message of a proxy can be a page of HTML. */
const MAX_MESSAGE_CHARS = 1024;

/** A message of a length that is welcome everywhere. */
export function cutMessage(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARS - 1).toWellFormed()}…`;
}

/**
 * The reference to an object.
 *
 * @throws TypeError when it lacks apiVersion, kind or name
 */
export function objectReference(object: ApiObject, fieldPath?: string): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata ?? {};
  if (!apiVersion || !kind || !name) {
    throw new TypeError('an event needs an object with apiVersion, kind and metadata.name');
  }
  return {
    apiVersion,
    kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
    ...(fieldPath && { fieldPath }),
  };
}

/** Events about the same in all that people see; they differ in when they happened. */
export function eventKey({ source, involvedObject, type, reason, message }: CoreEvent): string {
  return keyOf(source, involvedObject, type, involvedObject.fieldPath ?? '', reason, message);
}

/** Events that differ in their message and field path only. */
export function similarKey({ source, involvedObject, type, reason }: CoreEvent): string {
  return keyOf(source, involvedObject, type, reason);
}

/** Events of one source about one object. */
export function sourceKey({ source, involvedObject, type }: CoreEvent): string {
  return keyOf(source, involvedObject, type);
}

function keyOf(source: CoreEvent['source'], about: ObjectReference, ...parts: string[]): string {
  const { kind, namespace = '', name, uid = '', apiVersion } = about;
  // What separates the parts can't be in names: no two different events have one key.
  return [source.component, source.host ?? '', kind, namespace, name, uid, apiVersion, ...parts].join('\0');
}
