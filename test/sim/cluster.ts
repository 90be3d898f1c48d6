/** The API servers behind one address, and everything that can go wrong with a request to them. */
import type { Random } from '../../src/testing/random.ts';
import type { Connection, Cut } from './connection.ts';
import { Etcd } from './etcd.ts';
import { type LineFault, Replica, Watch } from './replica.ts';
import {
  type Asked,
  describeAsked,
  type ListStyle,
  listBody,
  parsePath,
  statusOf,
  tooLarge,
} from './requests.ts';
import type { Trace } from './trace.ts';
import { type VirtualLoop, VirtualThread } from './virtual-loop.ts';

/** What may go wrong with one request. */
export type RequestFault =
  | {
      readonly type: 'refused';
      readonly status: number;
      readonly retryAfter: string;
      readonly isText: boolean;
    }
  | { readonly type: 'wrongType' }
  | { readonly type: 'noAnswer' }
  | { readonly type: 'noConnection' }
  | { readonly type: 'notAList' }
  | { readonly type: 'late'; readonly ms: number }
  | { readonly type: 'cut'; readonly bytes: number; readonly cut: Cut };

/** How the servers of a seed are; nothing of it is a fault. */
export interface ClusterStyle extends ListStyle {
  readonly replicas: number;
  /** An old resourceVersion is refused with an event, not with a status. */
  readonly isGoneAnEvent: boolean;
  /** Pages are cut also from the watch cache. */
  readonly pagesFromCache: boolean;
  /** Longest time until a server has followed a write. */
  readonly followMs: number;
}

export interface ServedRequest {
  readonly atMs: number;
  readonly asked: Asked;
}

/** How long a server waits for its cache to become fresh enough. */
const FRESH_LIMIT_MS = 3_000;
const BOOKMARK_MS = 60_000;

export class Cluster {
  readonly etcd = new Etcd();
  readonly replicas: readonly Replica[];
  readonly requests: ServedRequest[] = [];
  /** For the next requests and lines. */
  readonly requestFaults: RequestFault[] = [];
  readonly lineFaults: LineFault[] = [];
  /** While it lasts all requests end like this. */
  outage: { readonly untilMs: number; readonly fault: RequestFault } | undefined;
  /** Number of the token that is valid. */
  token = 1;

  readonly #loop: VirtualLoop;
  readonly #random: Random;
  readonly #style: ClusterStyle;
  readonly #trace: Trace;
  readonly #thread = new VirtualThread('servers');

  constructor(loop: VirtualLoop, random: Random, style: ClusterStyle, trace: Trace) {
    this.#loop = loop;
    this.#random = random;
    this.#style = style;
    this.#trace = trace;
    this.replicas = Array.from(
      { length: style.replicas },
      (_, i) => new Replica(`server ${i}`, this.etcd, this.lineFaults),
    );
    this.#bookmarks();
  }

  /** Something was written: servers follow soon, each in its own time. */
  written(): void {
    const { revision } = this.etcd;
    for (const replica of this.replicas) {
      this.#later(this.#random.fraction() * this.#style.followMs, () => replica.catchUp(revision));
    }
  }

  /** All is well from now on. What hangs already goes on hanging. */
  heal(): void {
    this.requestFaults.length = 0;
    this.outage = undefined;
    this.lineFaults.length = 0;
    for (const replica of this.replicas) {
      replica.isFollowing = true;
      replica.catchUp(this.etcd.revision);
    }
  }

  handle(path: string, token: string, connection: Connection): void {
    const asked = parsePath(path);
    this.requests.push({ atMs: this.#loop.nowMs, asked });
    const fault = this.#nextFault();
    const replica = this.#random.pick(this.replicas);
    const trouble = fault === undefined ? '' : `: ${JSON.stringify(fault)}`;
    this.#trace.note(`${replica.name} is asked to ${describeAsked(asked)}${trouble}`);
    if (fault !== undefined && this.#refuses(fault, connection)) return;
    if (token !== `Bearer ${this.token}`) {
      this.#refuse(connection, 401, statusOf(401));
      return;
    }
    const delayMs = fault?.type === 'late' ? fault.ms : 0;
    this.#later(delayMs, () => this.#answer(asked, replica, connection));
  }

  /** A watch is over, also one that broke. */
  closed(connection: Connection): void {
    for (const { watches } of this.replicas) {
      for (const watch of watches) if (watch.connection === connection) watches.delete(watch);
    }
  }

  /** Ends watches with an event that tells of an error. */
  failWatches(code: number): void {
    this.#endWatches((watch) => watch.send('ERROR', statusOf(code)));
  }

  endWatches(): void {
    this.#endWatches(() => {});
  }

  /** Cuts what is open now, after so many more bytes. */
  cutWatches(bytes: number, cut: Cut): void {
    for (const { watches } of this.replicas) {
      for (const { connection } of [...watches]) connection.cutAfter(bytes, cut);
    }
  }

  #nextFault(): RequestFault | undefined {
    const { outage } = this;
    return outage !== undefined && outage.untilMs > this.#loop.nowMs
      ? outage.fault
      : this.requestFaults.shift();
  }

  #endWatches(before: (watch: Watch) => void): void {
    for (const { watches } of this.replicas) {
      for (const watch of [...watches]) {
        before(watch);
        watch.connection.end();
      }
      watches.clear();
    }
  }

  /** False when the fault lets the request through. */
  #refuses(fault: RequestFault, connection: Connection): boolean {
    switch (fault.type) {
      case 'refused':
        this.#refuse(connection, fault.status, statusOf(fault.status), fault);
        return true;
      case 'wrongType':
        connection.respond(200, { 'content-type': 'text/html' });
        connection.write('<html>log in</html>');
        connection.end();
        return true;
      case 'notAList':
        connection.respond(200);
        connection.write('{"kind":"Thing","apiVersion":"v1"}');
        connection.end();
        return true;
      case 'noConnection':
        connection.fail('connection-refused');
        return true;
      case 'noAnswer':
        return true;
      case 'cut':
        connection.cutAfter(fault.bytes, fault.cut);
        return false;
      case 'late':
        return false;
    }
  }

  #refuse(
    connection: Connection,
    status: number,
    body: object,
    { retryAfter = '', isText = false }: { retryAfter?: string; isText?: boolean } = {},
  ): void {
    connection.respond(status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...(retryAfter !== '' && { 'retry-after': retryAfter }),
    });
    connection.write(isText ? 'upstream is not well\n' : JSON.stringify(body));
    connection.end();
  }

  #answer(asked: Asked, replica: Replica, connection: Connection): void {
    if (connection.isOver) return;
    if (asked.isStream) this.#stream(asked, replica, connection);
    else if (asked.isWatch) this.#watch(asked, replica, connection);
    else this.#list(asked, replica, connection);
  }

  #list(asked: Asked, replica: Replica, connection: Connection): void {
    const { resourceVersion, limit, continueToken } = asked;
    if (continueToken !== '') {
      const [revision, start] = continueToken.split('/').map(Number) as [number, number];
      if (revision < this.etcd.compacted)
        this.#refuse(connection, 410, statusOf(410, 'continue token expired'));
      else this.#page(asked, connection, revision, start, limit);
    } else if (resourceVersion === '') {
      this.#page(asked, connection, this.etcd.revision, 0, limit);
    } else {
      const fromCache = this.#style.pagesFromCache ? limit : 0;
      this.#whenFresh(Number(resourceVersion), replica, connection, () =>
        this.#page(asked, connection, replica.seen, 0, fromCache),
      );
    }
  }

  /** @param limit - 0 for all */
  #page(asked: Asked, connection: Connection, revision: number, start: number, limit: number): void {
    const all = this.etcd
      .objectsAt(revision)
      .filter(({ object }) => asked.namespace === undefined || object.metadata.namespace === asked.namespace);
    const end = limit === 0 ? all.length : Math.min(all.length, start + limit);
    const rest = all.length - end;
    const next = rest === 0 ? {} : { continue: `${revision}/${end}`, remainingItemCount: rest };
    connection.respond(200);
    connection.write(
      listBody(all.slice(start, end), { resourceVersion: String(revision), ...next }, this.#style),
    );
    connection.end();
  }

  #watch(asked: Asked, replica: Replica, connection: Connection): void {
    const from = Number(asked.resourceVersion);
    if (!(from > 0)) throw new Error(`a watch from '${asked.resourceVersion}' would miss what is there`);
    if (from < replica.oldest) {
      if (!this.#style.isGoneAnEvent) {
        this.#refuse(connection, 410, statusOf(410));
        return;
      }
      connection.respond(200);
      new Watch(connection, asked, from).send('ERROR', statusOf(410));
      connection.end();
      return;
    }
    connection.respond(200);
    const watch = new Watch(connection, asked, from);
    this.#serve(watch, replica, asked);
    replica.tell(watch);
  }

  #stream(asked: Asked, replica: Replica, connection: Connection): void {
    const from = asked.resourceVersion === '' ? this.etcd.revision : Number(asked.resourceVersion);
    this.#whenFresh(from, replica, connection, () => {
      connection.respond(200);
      const watch = new Watch(connection, asked, 0);
      replica.tellAll(watch);
      this.#serve(watch, replica, asked);
    });
  }

  #serve(watch: Watch, replica: Replica, { timeoutSeconds }: Asked): void {
    replica.watches.add(watch);
    this.#later(timeoutSeconds * 1000, () => {
      if (replica.watches.delete(watch)) watch.connection.end();
    });
  }

  /** Answers when the cache has come to a revision; says after a while that it has not. */
  #whenFresh(revision: number, replica: Replica, connection: Connection, answer: () => void): void {
    let isWaiting = true;
    const cancel = this.#later(FRESH_LIMIT_MS, () => {
      isWaiting = false;
      this.#refuse(connection, 504, tooLarge());
    });
    replica.whenSeen(revision, () => {
      if (!isWaiting) return;
      cancel();
      if (!connection.isOver) answer();
    });
  }

  #bookmarks(): void {
    this.#later(BOOKMARK_MS * (0.8 + 0.2 * this.#random.fraction()), () => {
      for (const replica of this.replicas) replica.bookmark();
      this.#bookmarks();
    });
  }

  #later(delayMs: number, run: () => void): () => void {
    return this.#loop.later(delayMs, run, this.#thread);
  }
}
