import type { ResourceRef } from '../../../src/index.ts';
import type { Connection } from '../harness/connection.ts';
import { collectionPath } from './follower.ts';
import { kindNamed } from './kinds.ts';

/** Names that are created, changed and deleted again and again, per resource. */
const NAMES = 20;

/** A server that is down is asked again after so long. */
const RETRY_MS = 100;

/** Change objects of several resources all the time, whatever the server says. */
export class Writers {
  readonly #api: Connection;
  readonly #lanes: Promise<void>[];
  /** Writes that the server took, per resource. */
  readonly #done: number[];
  #isStopping = false;
  #waiting: { goals: number[]; resolve: () => void } | undefined;

  constructor(api: Connection, resources: readonly ResourceRef[]) {
    this.#api = api;
    this.#done = resources.map(() => 0);
    this.#lanes = resources.map((resource, lane) => this.#write(resource, lane));
  }

  /** Resolves after so many more writes to each resource. */
  async wrote(count: number): Promise<void> {
    const goals = this.#done.map((done) => done + count);
    await new Promise<void>((resolve) => {
      this.#waiting = { goals, resolve };
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#lanes);
  }

  async #write(resource: ResourceRef, lane: number): Promise<void> {
    const path = collectionPath(resource);
    const { make, patch } = kindNamed(resource.resource);
    const names = new Set<string>();
    for (let i = 0; !this.#isStopping; i++) {
      const name = `n${i % NAMES}`;
      const change = { ...patch, metadata: { ...patch.metadata, annotations: { text: String(i) } } };
      // A write that failed may have been done all the same: the next one finds out.
      if (!names.has(name)) await this.#try(lane, () => this.#api.create(path, make(name)));
      names.add(name);
      const isThere = await this.#try(lane, () => this.#api.patch(`${path}/${name}`, change));
      if (isThere && i % 3 === 0) await this.#try(lane, () => this.#api.delete(`${path}/${name}`));
      if (!isThere || i % 3 === 0) names.delete(name);
    }
  }

  /** @returns whether the server took it */
  async #try(lane: number, write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return false;
    }
    this.#done[lane]!++;
    if (this.#waiting?.goals.every((goal, i) => this.#done[i]! >= goal)) this.#waiting.resolve();
    return true;
  }
}
