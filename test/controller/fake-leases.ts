import type { Lease, LeaseClient, LeaseName } from '../../src/controller/index.ts';

/** How one request goes wrong. */
export type LeaseFault =
  /** It is refused with this HTTP status, and does nothing. */
  | number
  /** It never gets there, and no answer comes. */
  | 'hang'
  /** It is done, and no answer comes. */
  | 'lose-answer';

/** An answer of the API server that is not a success, in the form of client-node's ApiException. */
export class FakeApiException extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`HTTP ${code}`);
    this.code = code;
  }
}

/** One lease on an API server in memory, with optimistic locking. */
export class FakeLeases implements LeaseClient {
  lease: Lease | undefined;
  /** Verbs of all requests. */
  readonly requests: string[] = [];
  /** What goes wrong with the next requests, in order; undefined for one that goes well. */
  readonly faults: (LeaseFault | undefined)[] = [];
  #version = 100;

  async get({ name, namespace }: LeaseName): Promise<Lease | undefined> {
    return this.#request('get', () => {
      const { metadata } = this.lease ?? {};
      return metadata?.name === name && metadata.namespace === namespace ? this.lease : undefined;
    });
  }

  async create(lease: Lease): Promise<Lease> {
    return this.#request('create', () => {
      if (this.lease !== undefined) throw new FakeApiException(409);
      return this.write(lease);
    });
  }

  async update(lease: Lease): Promise<Lease> {
    return this.#request('update', () => {
      if (this.lease === undefined) throw new FakeApiException(404);
      if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
        throw new FakeApiException(409);
      }
      return this.write(lease);
    });
  }

  /** Stores a lease whatever there was, as somebody else's write. */
  write(lease: Lease): Lease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    this.lease = structuredClone({ ...lease, metadata });
    return this.lease;
  }

  async #request<T>(verb: string, answer: () => T): Promise<T> {
    this.requests.push(verb);
    const fault = this.faults.shift();
    if (typeof fault === 'number') throw new FakeApiException(fault);
    if (fault === 'hang') return new Promise(() => {});
    const result = structuredClone(answer());
    return fault === 'lose-answer' ? new Promise(() => {}) : result;
  }
}
