/**
 * A handler of a simulation. It behaves as drawn, and holds each event against the server's history: what it is told of a
 * key must be part of that history, in its order, begin with an add, and have nothing behind a delete but another add.
 */
import { isDeepStrictEqual } from 'node:util';
import { DeletedFinalStateUnknown } from '../../src/delta/index.ts';
import type { InformerEvent } from '../../src/informer/event.ts';
import type { Handler } from '../../src/informer/handlers.ts';
import type { SharedInformer } from '../../src/informer/informer.ts';
import type { Registration } from '../../src/informer/registration.ts';
import type { Random } from '../../src/testing/random.ts';
import type { Change, Thing } from './etcd.ts';
import type { HandlerDraw } from './plan.ts';
import type { World } from './world.ts';

/** Events that are kept to look at them when it is too late. */
const KEPT_EVENTS = 20;

type ToldType = 'add' | 'update' | 'delete';

interface Kept {
  readonly event: InformerEvent<Thing>;
  readonly revision: number;
}

export class Follower {
  readonly registration: Registration;
  /** Revision of what it was told last of each key that it thinks is there. */
  readonly seen = new Map<string, number>();

  readonly #name: string;
  readonly #draw: HandlerDraw;
  readonly #world: World;
  readonly #random: Random;
  readonly #expected: (change: Change) => object;
  /** Revision of the last delete of each key. */
  readonly #deleted = new Map<string, number>();
  readonly #kept: Kept[] = [];

  constructor(
    name: string,
    draw: HandlerDraw,
    world: World,
    informer: SharedInformer<Thing>,
    expected: (change: Change) => object,
  ) {
    this.#name = name;
    this.#draw = draw;
    this.#world = world;
    this.#random = world.behaviour;
    this.#expected = expected;
    const { backlogLimit, resyncMs, form } = draw;
    const concurrency = draw.isPerKey && form !== 'batch' ? 'per-key' : 'serial';
    this.registration = informer.addEventHandler(this.#handler(), {
      name,
      backlogLimit,
      resyncMs,
      concurrency,
      maxBatch: 5,
      maxInFlight: 3,
    });
  }

  /** Looks at events whose time is over: they must be what they were, or say that it is too late. */
  lookBack(): void {
    for (const { event, revision } of this.#kept.splice(0)) {
      try {
        this.#assertIs(event.object, event.key, revision);
      } catch (error) {
        if ((error as Error).name !== 'ReleasedObjectError') throw error;
      }
    }
  }

  #handler(): Handler<Thing> {
    switch (this.#draw.form) {
      case 'event':
        return { onEvent: (event) => this.#called(() => this.#onEvent(event)) };
      case 'batch':
        return { onBatch: (events) => this.#called(() => this.#finish(() => this.#takeAll(events))) };
      case 'object':
        return {
          onAdd: (object) => this.#called(() => this.#finish(() => this.#take('add', object))),
          onUpdate: (before, object) =>
            this.#called(() => this.#finish(() => this.#take('update', object, before))),
          onDelete: (object) =>
            this.#called(() =>
              this.#finish(() =>
                object instanceof DeletedFinalStateUnknown
                  ? this.#take('delete', object.object, undefined, true)
                  : this.#take('delete', object),
              ),
            ),
        };
    }
  }

  #called(handle: () => void | Promise<void>): void | Promise<void> {
    if (this.registration.isRemoved) this.#world.fail(this.#error('was called after it was removed'));
    return handle();
  }

  #onEvent(event: InformerEvent<Thing>): void | Promise<void> {
    const keeps = this.#random.chance(0.1);
    if (keeps) this.#keep(event);
    // Some of them decode after their promise has begun.
    if (this.#draw.slowMs > 0 && this.#random.chance(0.5)) {
      return this.#sleep().then(() => this.#guard(() => this.#takeEvent(event)));
    }
    return this.#finish(() => this.#takeEvent(event));
  }

  #takeAll(events: readonly InformerEvent<Thing>[]): void {
    for (const event of events) this.#takeEvent(event);
  }

  #takeEvent(event: InformerEvent<Thing>): void {
    if (event.key !== keyOf(event.object))
      this.#fail(`${event.key} has the object of ${keyOf(event.object)}`);
    this.#take(event.type, event.object, event.oldObject, event.isFinalStateUnknown);
  }

  /** Does what it is for, and then what else was drawn for it: takes its time, throws. */
  #finish(work: () => void): void | Promise<void> {
    this.#guard(work);
    const throws = this.#random.chance(this.#draw.throws);
    if (this.#draw.slowMs === 0 || this.#random.chance(0.3)) {
      if (throws) throw new Error('as drawn');
      return undefined;
    }
    return this.#sleep().then(() => {
      if (throws) throw new Error('as drawn');
    });
  }

  #sleep(): Promise<void> {
    const ms = this.#world.isWell ? 0 : this.#random.fraction() * this.#draw.slowMs;
    return new Promise((resolve) => void this.#world.loop.later(ms, resolve, this.#world.home));
  }

  #keep(event: InformerEvent<Thing>): void {
    if (this.#kept.length >= KEPT_EVENTS) this.#kept.shift();
    this.#kept.push({ event, revision: Number(event.resourceVersion) });
  }

  /** An informer takes what a handler throws as the handler's affair. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#world.fail(error as Error);
    }
  }

  #take(type: ToldType, object: Thing, before?: Thing, isFinalStateUnknown = false): void {
    const key = keyOf(object);
    const revision = revisionOf(object);
    this.#world.trace.note(`${this.#name} is told: ${type} ${key} at ${revision}`);
    const last = this.seen.get(key);
    const change = this.#assertIs(object, key, revision);
    if (type === 'add') {
      if (last !== undefined) this.#fail(`${key} was added twice`);
      if (revision <= (this.#deleted.get(key) ?? 0))
        this.#fail(`${key} was added in a state before its delete`);
      if (change.type === 'DELETED') this.#fail(`${key} was added in the state of its delete`);
      this.seen.set(key, revision);
      return;
    }
    if (last === undefined) throw this.#error(`${type} of ${key}, which was never added`);
    const { uid } = this.#world.cluster.etcd.changeAt(key, last)!;
    if (uid !== change.uid) this.#fail(`${type} of ${key} is about another object of that name`);
    if (type === 'update') this.#checkUpdate(key, revision, last, change, before);
    else this.#checkDelete(key, revision, last, change, isFinalStateUnknown);
  }

  #checkUpdate(key: string, revision: number, last: number, change: Change, before: Thing | undefined): void {
    if (before === undefined || revisionOf(before) !== last) {
      this.#fail(`update of ${key} from ${before && revisionOf(before)}, and ${last} was seen`);
    }
    const isResync = revision === last && this.#draw.resyncMs > 0;
    if (revision <= last && !isResync) this.#fail(`update of ${key} from ${last} back to ${revision}`);
    if (change.type === 'DELETED') this.#fail(`update of ${key} to the state of its delete`);
    this.seen.set(key, revision);
  }

  #checkDelete(key: string, revision: number, last: number, change: Change, isUnknown: boolean): void {
    if (revision < last) this.#fail(`delete of ${key} in state ${revision}, after ${last} was seen`);
    if (isUnknown === (change.type === 'DELETED')) {
      this.#fail(
        `delete of ${key} is ${isUnknown ? '' : 'not '}final state unknown, and has state ${revision}`,
      );
    }
    this.seen.delete(key);
    this.#deleted.set(key, revision);
  }

  /** Throws unless this is the object that the server had. */
  #assertIs(object: Thing, key: string, revision: number): Change {
    const change = this.#world.cluster.etcd.changeAt(key, revision);
    if (change === undefined) throw this.#error(`${key} never had the version ${revision}`);
    if (!isDeepStrictEqual(object, this.#expected(change))) {
      throw this.#error(`${key} at ${revision} is not what the server had: ${JSON.stringify(object)}`);
    }
    return change;
  }

  #fail(message: string): void {
    throw this.#error(message);
  }

  #error(message: string): Error {
    return new Error(`${this.#name}: ${message}`);
  }
}

function keyOf({ metadata }: Thing): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function revisionOf({ metadata }: Thing): number {
  return Number(metadata.resourceVersion);
}
