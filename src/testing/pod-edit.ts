import type { Random } from './random.ts';
import { tailSlabs } from './slabs.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * Edits stored Pods as bytes, without parsing them: what a kubelet's update changes is a kilobyte at the end,
 * and only that is made anew. A parse and print of the whole object costs a hundred times more.
 */

const RESTARTS = Buffer.from('"restartCount":');
const TRANSITION = Buffer.from('"lastTransitionTime":"');
const READY = Buffer.from('"type":"Ready"');
const STATUS = Buffer.from('"status":"');
const TRUE = Buffer.from('True');
const FALSE = Buffer.from('False');
const CHECKSUM = Buffer.from('"checksum/config":"');
const VERSION_LABEL = 'app.kubernetes.io/version';
const VERSION = Buffer.from(`"${VERSION_LABEL}":"v`);

const TIME_LENGTH = '2026-11-30T09:00:00Z'.length;
const CHECKSUM_LENGTH = 64;
const COMMA = 0x2c;
const ZERO = 0x30;

/** One update in so many restarts a container; the others change the Ready condition. */
const RESTART_ONE_IN = 4;

/** @returns the changed tail, or undefined when this status has nothing that could be changed this way */
export function editStatus(object: StoredObject, random: Random, timestamp: string): Buffer | undefined {
  const edited =
    random.below(RESTART_ONE_IN) === 0 ? addRestart(object.tail) : flipReady(object.tail, timestamp);
  return edited ?? touch(object.tail, timestamp);
}

/**
 * Changes the config checksum, an annotation, or the version, a label: what a rollout changes.
 *
 * @returns the next state, or undefined when the Pod has none of these where the Pod generator puts them
 */
export function editMetadata(
  object: StoredObject,
  resourceVersion: number,
  random: Random,
): StoredObject | undefined {
  const edited = Buffer.from(object.body);
  if (random.below(2) === 0) {
    const field = edited.indexOf(CHECKSUM);
    if (field === -1) return undefined;
    edited.write(random.hex(CHECKSUM_LENGTH), field + CHECKSUM.length, 'latin1');
    return { ...object, resourceVersion, body: edited };
  }
  const digit = edited.indexOf(VERSION) + VERSION.length;
  if (digit < VERSION.length || edited[digit + 1] !== 0x22) return undefined;
  const version = (edited[digit]! - ZERO + 1) % 10;
  edited[digit] = ZERO + version;
  const labels = { ...object.labels, [VERSION_LABEL]: `v${version}` };
  return { ...object, resourceVersion, labels, body: edited };
}

/** All that can happen to a Pod that waits for a node: it still waits. */
function touch(status: Buffer, timestamp: string): Buffer | undefined {
  const field = status.indexOf(TRANSITION);
  if (field === -1) return undefined;
  const edited = tailSlabs.allocate(status.length);
  status.copy(edited);
  edited.write(timestamp, field + TRANSITION.length, 'latin1');
  return edited;
}

function addRestart(status: Buffer): Buffer | undefined {
  const field = status.indexOf(RESTARTS);
  if (field === -1) return undefined;
  const begin = field + RESTARTS.length;
  const end = status.indexOf(COMMA, begin);
  const count = String(Number(status.toString('latin1', begin, end)) + 1);
  const edited = tailSlabs.allocate(begin + count.length + status.length - end);
  status.copy(edited, 0, 0, begin);
  edited.write(count, begin, 'latin1');
  status.copy(edited, begin + count.length, end);
  return edited;
}

function flipReady(status: Buffer, timestamp: string): Buffer | undefined {
  const condition = status.indexOf(READY);
  if (condition === -1) return undefined;
  const begin = status.indexOf(STATUS, condition) + STATUS.length;
  const isReady = status[begin] === TRUE[0];
  const end = begin + (isReady ? TRUE.length : FALSE.length);
  const time = status.indexOf(TRANSITION, end) + TRANSITION.length;
  if (begin < condition || time < end) return undefined;

  const flipped = isReady ? FALSE : TRUE;
  const edited = tailSlabs.allocate(status.length + flipped.length - (end - begin));
  status.copy(edited, 0, 0, begin);
  flipped.copy(edited, begin);
  let at = begin + flipped.length;
  at += status.copy(edited, at, end, time);
  at += edited.write(timestamp, at, 'latin1');
  status.copy(edited, at, time + TIME_LENGTH);
  return edited;
}
