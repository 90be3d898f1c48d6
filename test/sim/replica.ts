/** One of the API servers: a watch cache that follows etcd, at times from far behind, and the watches that it serves. */
import type { Connection } from './connection.ts';
import type { Change, Etcd } from './etcd.ts';
import { bookmarkOf, eventLine } from './requests.ts';

/** What may go wrong with one line of a watch. */
export type LineFault = 'twice' | 'cutShort' | 'garbageBefore' | 'unknownBefore' | 'emptyBefore';

export class Watch {
  readonly connection: Connection;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Up to here everything was sent. */
  position: number;

  constructor(
    connection: Connection,
    asked: { resource: string; namespace: string | undefined },
    position: number,
  ) {
    this.connection = connection;
    this.resource = asked.resource;
    this.namespace = asked.namespace;
    this.position = position;
  }

  covers({ object }: Change): boolean {
    return this.namespace === undefined || object.metadata.namespace === this.namespace;
  }

  send(type: string, object: object, fault?: LineFault): void {
    const line = eventLine(type, object);
    if (fault === 'garbageBefore') this.connection.write('<html>502</html>\n');
    if (fault === 'unknownBefore') this.connection.write(eventLine('PATCHED', object));
    if (fault === 'emptyBefore') this.connection.write('\n');
    // As a proxy may leave it: the rest of the line is lost, what follows is not.
    if (fault === 'cutShort') this.connection.write(`${line.slice(0, line.length >> 1)}\n`);
    else this.connection.write(fault === 'twice' ? line + line : line);
  }
}

export class Replica {
  readonly name: string;
  /** Revision up to which it has followed. */
  seen: number;
  /** It can't serve watches from before this. */
  oldest: number;
  isFollowing = true;
  readonly watches = new Set<Watch>();

  readonly #etcd: Etcd;
  /** What may go wrong with the next lines. */
  readonly #lineFaults: LineFault[];
  #waiters: { readonly revision: number; readonly resolve: () => void }[] = [];

  constructor(name: string, etcd: Etcd, lineFaults: LineFault[]) {
    this.name = name;
    this.#etcd = etcd;
    this.#lineFaults = lineFaults;
    this.seen = etcd.revision;
    this.oldest = etcd.revision;
  }

  /** Follows up to a revision, and tells all watches. */
  catchUp(revision: number): void {
    if (!this.isFollowing || revision <= this.seen) return;
    this.seen = revision;
    for (const watch of [...this.watches]) this.tell(watch);
    const ready = this.#waiters.filter((waiter) => waiter.revision <= this.seen);
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > this.seen);
    for (const { resolve } of ready) resolve();
  }

  /** Sends a watch what it does not have. */
  tell(watch: Watch): void {
    for (const change of this.#etcd.changesBetween(watch.position, this.seen)) {
      if (watch.covers(change)) watch.send(change.type, change.object, this.#lineFaults.shift());
    }
    watch.position = Math.max(watch.position, this.seen);
  }

  /** Sends all objects and the mark behind them; then it is a watch as any other. */
  tellAll(watch: Watch): void {
    for (const change of this.#etcd.objectsAt(this.seen)) {
      if (watch.covers(change)) watch.send('ADDED', change.object);
    }
    watch.position = this.seen;
    watch.send('BOOKMARK', bookmarkOf(this.seen, true));
  }

  /** @param behind - how much older than what the watch was sent already */
  bookmark(behind = 0): void {
    for (const watch of this.watches) {
      // Not before it has caught up with what the client knows.
      if (watch.position <= this.seen) watch.send('BOOKMARK', bookmarkOf(watch.position - behind));
    }
  }

  /** Calls back once it has followed up to a revision, now if it has. */
  whenSeen(revision: number, resolve: () => void): void {
    if (this.seen >= revision) resolve();
    else this.#waiters.push({ revision, resolve });
  }

  forget(kept: number): void {
    this.oldest = Math.max(this.oldest, this.seen - kept);
  }

  /** The process ends and another one begins with what etcd has now. */
  restart(): void {
    for (const watch of [...this.watches]) watch.connection.fail('connection-reset');
    this.watches.clear();
    this.#waiters = [];
    this.seen = this.oldest = this.#etcd.revision;
  }
}
