/** Recording Events about objects: counted, merged and limited, and never in anybody's way. */

export type { CoreEvent, EventDetails, EventType, ObjectReference } from './event.ts';
export { type EventClient, type EventPatch, eventClient } from './event-client.ts';
export {
  EventError,
  EventRecorder,
  type EventRecorderOptions,
  type EventRecorderStats,
} from './event-recorder.ts';
