import type { Resource } from './resources.ts';
import { type ObjectFormat, PARTIAL, standalone, wrap } from './stored-object.ts';

/** Types of events that carry an object. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How the events of one resource look. */
export interface EventFormats extends Readonly<Record<EventType, ObjectFormat>> {
  /** A bookmark at this resourceVersion. */
  bookmark(resourceVersion: number): Buffer;
  /** The bookmark that ends the initial events. */
  endMark(resourceVersion: number): Buffer;
}

const END_ANNOTATION = '"annotations":{"k8s.io/initial-events-end":"true"}';

/** Whole objects and metadata only, per resource: made once, because watches start often. */
const wholeFormats = new WeakMap<Resource, EventFormats>();
const partialFormats = new WeakMap<Resource, EventFormats>();

/** @param partial - events carry metadata only */
export function eventFormats(resource: Resource, partial: boolean): EventFormats {
  const cache = partial ? partialFormats : wholeFormats;
  const cached = cache.get(resource);
  if (cached !== undefined) return cached;
  const formats = makeFormats(resource, partial);
  cache.set(resource, formats);
  return formats;
}

function makeFormats(resource: Resource, partial: boolean): EventFormats {
  const object = partial ? PARTIAL : standalone(resource);
  const eventFormat = (type: EventType) => wrap(`{"type":"${type}","object":`, object, '}\n');
  return {
    ADDED: eventFormat('ADDED'),
    MODIFIED: eventFormat('MODIFIED'),
    DELETED: eventFormat('DELETED'),
    bookmark: (resourceVersion) => bookmark(resource, partial, `"resourceVersion":"${resourceVersion}"`),
    endMark: (resourceVersion) => {
      const version = `"resourceVersion":"${resourceVersion}"`;
      // Keys of custom resources are sorted, and those of built-in kinds are in the order of their struct.
      const isSorted = resource.custom && !partial;
      const metadata = isSorted ? `${END_ANNOTATION},${version}` : `${version},${END_ANNOTATION}`;
      return bookmark(resource, partial, metadata);
    },
  };
}

function bookmark(resource: Resource, partial: boolean, metadata: string): Buffer {
  const apiVersion = partial ? 'meta.k8s.io/v1' : resource.apiVersion;
  const kind = partial ? 'PartialObjectMetadata' : resource.kind;
  const isSorted = resource.custom && !partial;
  const type = isSorted
    ? `"apiVersion":"${apiVersion}","kind":"${kind}"`
    : `"kind":"${kind}","apiVersion":"${apiVersion}"`;
  const rest = partial ? '' : resource.emptyRest;
  return Buffer.from(`{"type":"BOOKMARK","object":{${type},"metadata":{${metadata}}${rest}}}\n`);
}
