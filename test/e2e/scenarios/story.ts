/** What handlers were told has to be a story that can be true, and end with what the server has. */
import assert from 'node:assert/strict';
import { compareResourceVersions, type InformerEventType } from '../../../src/index.ts';
import type { ObjectState } from '../../../src/testing/index.ts';

/** One event, as a handler got it. */
export interface Told {
  type: InformerEventType;
  key: string;
  uid: string;
  resourceVersion: string;
  isFinalStateUnknown: boolean;
}

/** For messages and comparisons: `update default/a@1002`; `lost` is a delete that nobody saw. */
export function textOf({ type, key, resourceVersion, isFinalStateUnknown }: Told): string {
  return `${isFinalStateUnknown ? 'lost' : type} ${key}@${resourceVersion}`;
}

/** Nothing twice, nothing out of order, nothing left out. */
export function assertStory(told: readonly Told[], states: readonly ObjectState[]): void {
  const known = new Map<string, Told>();
  for (const event of told) {
    const before = known.get(event.key);
    const what = `${textOf(event)}, after ${before === undefined ? 'nothing' : textOf(before)}`;
    if (event.type === 'add') assert.equal(before, undefined, what);
    else assert.equal(before?.uid, event.uid, what);
    if (event.type === 'update') {
      assert.ok(compareResourceVersions(event.resourceVersion, before!.resourceVersion) > 0, what);
    }
    if (event.type === 'delete') known.delete(event.key);
    else known.set(event.key, event);
  }
  const end = [...known.values()].map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`);
  const expected = states.map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`);
  assert.deepEqual(end.sort(), expected.sort());
}
