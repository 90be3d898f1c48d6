import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FakeSink } from './fake-sink.ts';
import type { FakeRequest } from './fake-transport.ts';
import { randomFrom, setUp } from './set-up.ts';

const SEEDS = 300;
const STEPS = 200;
/** Which one a seed uses. */
const INITIAL_LISTS = ['list', 'watchList', 'auto'] as const;

describe('Reflector in a simulation', () => {
  it(`ends with what the server has, and misses nothing, whatever went wrong on the way (seeds 1 to ${SEEDS})`, (t) => {
    let streamEnds = 0;
    for (let seed = 1; seed <= SEEDS; seed++) streamEnds += simulate(seed);
    t.diagnostic(`${streamEnds} streams of initial events came to their marker`);
    assert.ok(streamEnds > SEEDS / 2, 'streams work in the simulation');
  });
});

/** Returns how many streams of initial events were complete. */
function simulate(seed: number): number {
  const random = randomFrom(seed);
  const { clock, transport, sink, reflector } = setUp({
    random,
    initialList: INITIAL_LISTS[seed % 3],
    pageLimit: 3,
    responseMs: 5_000,
    watchIdleMs: 20_000,
  });
  const server = new ModelServer(random);
  transport.answer = (request) => server.answer(request);
  reflector.start();
  for (let step = 0; step < STEPS; step++) {
    server.change();
    if (random() < 0.1) sink.room = Math.floor(random() * 4);
    if (random() < 0.2) sink.giveRoom();
    server.disturb();
    clock.advance(Math.floor(random() ** 3 * 20_000));
  }

  server.isWell = true;
  sink.giveRoom();
  // Bookmarks come meanwhile, so that it is not silence and a list that put things right.
  for (let second = 0; second < 120; second++) {
    clock.advance(1_000);
    server.disturb();
  }
  const message = `seed ${seed}`;
  assertNoGaps(sink, message);
  assert.equal(reflector.state, 'watching', message);
  assert.equal(reflector.lastSyncResourceVersion, String(server.version), message);
  assert.deepEqual(stateOf(sink), [...server.objects.keys()].sort(), message);
  reflector.stop();
  assert.equal(clock.pending, 0, message);
  assert.equal(sink.open.size, 0, message);
  return sink.states.filter((state, i) => state === 'watching' && sink.states[i - 1] === 'initialStream')
    .length;
}

/** Applies the deltas as a cache would: a Replace counts only with its end. */
function stateOf(sink: FakeSink): string[] {
  let state = new Set<string>();
  let replace = new Set<string>();
  for (const delta of sink.deltas) {
    const [what, name = ''] = delta.split(' ');
    if (what === 'begin') replace = new Set();
    else if (what === 'item') replace.add(name);
    else if (what === 'delete') replace.delete(name);
    else if (what === 'end') state = new Set(replace);
    else if (what === 'ADDED') state.add(name);
    else if (what === 'DELETED') state.delete(name);
  }
  return [...state].sort();
}

/** Each event follows the one before, or the list: none is missing and none comes twice. */
function assertNoGaps(sink: FakeSink, message: string): void {
  let last = 0;
  for (const [i, delta] of sink.deltas.entries()) {
    const version = Number(sink.versions[i]);
    const isEvent = delta.startsWith('ADDED') || delta.startsWith('DELETED');
    if (isEvent) assert.equal(version, last + 1, `${message}: ${delta}`);
    if (version !== 0) last = version;
  }
}

interface Change {
  readonly type: string;
  readonly name: string;
  readonly version: number;
}

/** Objects with a history that is cut now and then, and everything that can go wrong with a request. */
class ModelServer {
  readonly objects = new Map<string, number>();
  readonly #random: () => number;
  #history: Change[] = [];
  /** Versions before this are gone. */
  #oldest = 1;
  version = 1;
  isWell = false;
  #watch: { request: FakeRequest; sent: number } | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** One object comes or goes, and a watch is told. */
  change(): void {
    const name = `o${Math.floor(this.#random() * 12)}`;
    const type = this.objects.has(name) ? 'DELETED' : 'ADDED';
    this.version++;
    if (type === 'ADDED') this.objects.set(name, this.version);
    else this.objects.delete(name);
    this.#history.push({ type, name, version: this.version });
    if (this.#random() < 0.05) this.#oldest = this.version - Math.floor(this.#random() * 5);
    if (this.#random() < 0.8) this.#tellWatch();
  }

  answer(request: FakeRequest): void {
    const fault = this.isWell ? 1 : this.#random();
    if (fault < 0.05) request.error();
    else if (fault < 0.1) request.refuse([401, 403, 429, 500, 503][Math.floor(this.#random() * 5)]!);
    else if (fault < 0.12)
      return; // No answer at all.
    else if (request.isStream) this.#openStream(request, fault);
    else if (request.isWatch) this.#openWatch(request);
    else this.#list(request, fault < 0.2);
  }

  /** Ends the watch in one of many ways, or sends what it still has to get. */
  disturb(): void {
    const kind = this.isWell ? 1 : this.#random();
    const request = this.#watch?.request;
    if (request === undefined) return;
    if (kind < 0.05) request.end();
    else if (kind < 0.1) request.error();
    else if (kind < 0.13) request.data('{"type":"ADDED","obj').end();
    else if (kind < 0.16) request.event('ERROR', { code: 500, reason: 'InternalError' });
    else if (kind < 0.19) request.data('garbage\n');
    else {
      this.#tellWatch();
      if (this.#random() < 0.2 || this.isWell) request.bookmark(String(this.version));
    }
  }

  #list(request: FakeRequest, breaks: boolean): void {
    const token = request.query('continue');
    if (token !== undefined && Number(token.split('/')[0]) < this.#oldest) {
      request.refuse(410, 'Expired');
      return;
    }
    // As a real one: a token names the version of its list, and pages are cut from that version.
    const [version, start] = token === undefined ? [this.version, 0] : token.split('/').map(Number);
    const names = this.#namesAt(version!).slice(start);
    const limit = Number(request.query('limit') ?? names.length);
    const next = names.length > limit ? { continue: `${version}/${start! + limit}` } : {};
    if (breaks) request.respond(200).data('{"kind":"PodList","it').error();
    else request.list(names.slice(0, limit), String(version), next);
  }

  #namesAt(version: number): string[] {
    const names = new Set<string>();
    for (const change of this.#history) {
      if (change.version > version) break;
      if (change.type === 'ADDED') names.add(change.name);
      else names.delete(change.name);
    }
    return [...names].sort();
  }

  /** Sends all objects in any order, changes that come meanwhile, and the marker, when all goes well. */
  #openStream(request: FakeRequest, fault: number): void {
    if (fault < 0.14) {
      request.refuse(fault < 0.121 ? 422 : 410);
      return;
    }
    this.#watch = undefined;
    request.respond(200);
    const from = this.version;
    for (const name of [...this.objects.keys()].sort(() => this.#random() - 0.5)) {
      request.added(name, String(this.objects.get(name)));
      if (this.#random() < 0.2) this.change();
    }
    for (const { type, name, version } of this.#history) {
      if (version > from) request.event(type, { metadata: { name, resourceVersion: String(version) } });
    }
    if (fault < 0.17) request.end();
    if (fault < 0.2) return;
    const version = this.version;
    this.#watch = { request, sent: version };
    // Only now, for what is told may open the next request at once.
    request.marker(String(version));
    this.#tellWatch();
  }

  #openWatch(request: FakeRequest): void {
    const from = Number(request.query('resourceVersion'));
    request.respond(200);
    if (from < this.#oldest) {
      request.event('ERROR', { code: 410, reason: 'Expired' });
      return;
    }
    this.#watch = { request, sent: from };
    this.#tellWatch();
  }

  #tellWatch(): void {
    const watch = this.#watch;
    if (watch === undefined) return;
    for (const { type, name, version } of this.#history) {
      if (version <= watch.sent) continue;
      watch.sent = version;
      watch.request.event(type, { metadata: { name, resourceVersion: String(version) } });
      // An end while it was told opens another watch, whose place is its own.
      if (this.#watch !== watch) return;
    }
  }
}
