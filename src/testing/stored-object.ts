import { isJsonObject, type JsonObject, parseExact } from './json.ts';
import type { Resource } from './resources.ts';

/**
 * One state of one object, as bytes. Never changed: a write makes a new one, which may share buffers.
 *
 * ```
 *   body  {"metadata":{"name":"web-0",…,"resourceVersion":"│","generation":1,…},"spec":{…}
 *                     ^metadataAt                          ^versionAt        ^metadataEnd
 *   tail  ,"status":{…}}
 * ```
 *
 * The digits of resourceVersion go in where `versionAt` points, only when the object is sent. So a change of
 * the status, which is most of what happens to Pods, makes a new tail of a kilobyte and shares the rest.
 */
export interface StoredObject {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Values of the resource's quick fields, in their order. */
  readonly quickFields: readonly string[];
  readonly body: Buffer;
  readonly versionAt: number;
  readonly metadataAt: number;
  readonly metadataEnd: number;
  readonly tail: Buffer;
}

/** How objects are wrapped and cut when they are sent; see the constants made from it in list and watch. */
export interface ObjectFormat {
  readonly prefix: Buffer;
  readonly suffix: Buffer;
  /** How many bytes of the object to leave out at its start: 1 when the prefix already opens its brace. */
  readonly skip: number;
  /** Only the value of `metadata` is sent. */
  readonly metadataOnly: boolean;
}

/** The object as it is, in a list of its kind. */
export const BARE: ObjectFormat = format('', '', 0, false);

/** What `as=PartialObjectMetadataList` gives. */
export const PARTIAL: ObjectFormat = format(
  '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":',
  '}',
  0,
  true,
);

/** The object alone, with kind and apiVersion: what GET answers and what events carry. */
export function standalone(resource: Resource): ObjectFormat {
  if (resource.custom) return BARE;
  return format(`{"kind":"${resource.kind}","apiVersion":"${resource.apiVersion}",`, '', 1, false);
}

export function format(prefix: string, suffix: string, skip: number, metadataOnly: boolean): ObjectFormat {
  return { prefix: Buffer.from(prefix), suffix: Buffer.from(suffix), skip, metadataOnly };
}

/** The format inside more text: `before`, then what the format gives, then `after`. */
export function wrap(before: string, inner: ObjectFormat, after: string): ObjectFormat {
  return {
    prefix: Buffer.concat([Buffer.from(before), inner.prefix]),
    suffix: Buffer.concat([inner.suffix, Buffer.from(after)]),
    skip: inner.skip,
    metadataOnly: inner.metadataOnly,
  };
}

/** How many bytes {@link putObject} writes. */
export function sizeOf(object: StoredObject, resourceVersion: number, how: ObjectFormat): number {
  const around = how.prefix.length + how.suffix.length + digitsOf(resourceVersion);
  if (how.metadataOnly) return around + object.metadataEnd - object.metadataAt;
  return around + object.body.length - how.skip + object.tail.length;
}

/** Writes an object with this resourceVersion. @returns the position behind it */
export function putObject(
  target: Buffer,
  at: number,
  object: StoredObject,
  resourceVersion: number,
  how: ObjectFormat,
): number {
  const body = object.body;
  let end = at;
  end += how.prefix.copy(target, end);
  end += body.copy(target, end, how.metadataOnly ? object.metadataAt : how.skip, object.versionAt);
  end = putDigits(target, end, resourceVersion);
  if (how.metadataOnly) {
    end += body.copy(target, end, object.versionAt, object.metadataEnd);
  } else {
    end += body.copy(target, end, object.versionAt, body.length);
    end += object.tail.copy(target, end);
  }
  if (how.suffix.length > 0) end += how.suffix.copy(target, end);
  return end;
}

/** The object's bytes in this format, on their own. */
export function objectBytes(object: StoredObject, how: ObjectFormat): Buffer {
  const bytes = Buffer.allocUnsafe(sizeOf(object, object.resourceVersion, how));
  putObject(bytes, 0, object, object.resourceVersion, how);
  return bytes;
}

/** The object parsed, with kind and apiVersion, numbers as doubles. */
export function parseObject(object: StoredObject, resource: Resource): JsonObject {
  return JSON.parse(objectBytes(object, standalone(resource)).toString());
}

/** The object parsed so that printing it again gives the same digits. */
export function parseObjectExact(object: StoredObject, resource: Resource): JsonObject {
  const parsed = parseExact(objectBytes(object, standalone(resource)).toString());
  return isJsonObject(parsed) ? parsed : {};
}

/** The next state of an object of which only the part behind metadata and spec has changed. */
export function withTail(before: StoredObject, resourceVersion: number, tail: Buffer): StoredObject {
  return {
    key: before.key,
    namespace: before.namespace,
    name: before.name,
    uid: before.uid,
    resourceVersion,
    labels: before.labels,
    quickFields: before.quickFields,
    body: before.body,
    versionAt: before.versionAt,
    metadataAt: before.metadataAt,
    metadataEnd: before.metadataEnd,
    tail,
  };
}

/** True when both have the same content, whatever their resourceVersion. */
export function sameContent(a: StoredObject, b: StoredObject): boolean {
  return a.versionAt === b.versionAt && a.body.equals(b.body) && a.tail.equals(b.tail);
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
  return digits;
}

function putDigits(target: Buffer, at: number, value: number): number {
  const end = at + digitsOf(value);
  let rest = value;
  for (let i = end - 1; i >= at; i--) {
    const tenth = Math.floor(rest / 10);
    target[i] = 0x30 + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}
