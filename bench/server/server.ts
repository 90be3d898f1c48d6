/** The benchmark server: HTTP/1.1, with or without TLS; lists and watches of prebuilt objects, and little else. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createGzip, constants as zlib } from 'node:zlib';
import { TEST_SERVER_CERT, TEST_SERVER_KEY } from '../../src/testing/tls-fixture.ts';
import { Churn, type ChurnOrder, type ChurnResult, type SendTimes } from './churn.ts';
import { Collection } from './collection.ts';
import { VERSION_ZERO } from './hash.ts';
import { KeptObjects } from './kept-objects.ts';
import { MadeObjects } from './made-objects.ts';
import { isWatch, readListQuery, readWatchQuery } from './query.ts';
import { apiVersionOf, type ObjectKind, pathOf, resourceOf } from './resources.ts';

export interface ServerOptions {
  readonly kind: ObjectKind;
  /** In all resources together. */
  readonly objects: number;
  /** Objects that a mixed churn can create. Default 0. */
  readonly spare?: number;
  /** More than one with custom resources only. Default 1. */
  readonly resources?: number;
  readonly seed: number;
  /** Default false. */
  readonly tls?: boolean;
  /** Compress lists for clients that accept it. Default false. */
  readonly gzip?: boolean;
  /** 0 for any that is free. */
  readonly port?: number;
}

/** What a complete and correct cache holds. */
export interface Truth {
  readonly objects: number;
  readonly hash: string;
  readonly lastVersion: number;
}

/** Above this, objects are made while they are sent: they would take more memory than a client's cache. */
export const MOST_KEPT_OBJECTS = 250_000;

const KEEP_ALIVE_MS = 120_000;

export class BenchServer {
  readonly #http: Server;
  readonly #options: ServerOptions;
  readonly #collections = new Map<string, Collection>();
  #churn: Churn | undefined;
  #version = VERSION_ZERO;

  constructor(options: ServerOptions) {
    this.#options = options;
    const resources = options.resources ?? 1;
    for (let index = 0; index < resources; index++) this.#addCollection(index, resources);
    const listener: RequestListener = (request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        if (response.headersSent) response.destroy(error);
        else sendStatus(response, 500, error.message);
      });
    };
    const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 };
    this.#http = options.tls
      ? createTlsServer({ ...settings, cert: TEST_SERVER_CERT, key: TEST_SERVER_KEY }, listener)
      : createServer(settings, listener);
  }

  /** @returns the port @throws Error when the port is taken */
  async listen(): Promise<number> {
    this.#http.listen(this.#options.port ?? 0, '127.0.0.1');
    await once(this.#http, 'listening');
    return (this.#http.address() as AddressInfo).port;
  }

  /** Ends connections, too. */
  close(): void {
    this.#http.close();
    this.#http.closeAllConnections();
  }

  truth(): Truth {
    let objects = 0;
    let hash = 0;
    for (const collection of this.#collections.values()) {
      objects += collection.objects.size;
      hash += collection.objects.hash();
    }
    return { objects, hash: String(hash), lastVersion: this.#version };
  }

  /** Open watches over all resources, and how many lists and watches there were. */
  get usage(): { openWatches: number; watches: number; lists: number } {
    const usage = { openWatches: 0, watches: 0, lists: 0 };
    for (const { watches, opened, listed } of this.#collections.values()) {
      usage.openWatches += watches.size;
      usage.watches += opened;
      usage.lists += listed;
    }
    return usage;
  }

  async churn(order: ChurnOrder): Promise<ChurnResult> {
    if (this.#options.objects > MOST_KEPT_OBJECTS) {
      throw new RangeError(`more than ${MOST_KEPT_OBJECTS} objects are not kept, and don't change`);
    }
    this.#churn = new Churn([...this.#collections.values()], order, this.#version, this.#options.seed);
    const result = await this.#churn.run();
    this.#version = result.lastVersion;
    return result;
  }

  /** Of the last churn. */
  get sendTimes(): SendTimes {
    return this.#churn?.sendTimes ?? { firstVersion: 0, epochMs: new Float64Array() };
  }

  /**
   * Ends all watches, and answers 410 to those from before. Meanwhile the last object of the list changed.
   *
   * @returns the resourceVersion of this change
   */
  expire(): number {
    const collections = [...this.#collections.values()];
    const { objects } = collections.at(-1)!;
    this.#version++;
    const kept = objects as KeptObjects;
    kept.update(kept.lastLive, this.#version);
    for (const collection of collections) collection.forget();
    for (const collection of collections) collection.endWatches();
    return this.#version;
  }

  #addCollection(index: number, resources: number): void {
    const { kind, objects, spare = 0, seed } = this.#options;
    const resource = resourceOf(kind, index);
    const share = (total: number) => Math.floor(total / resources) + (index < total % resources ? 1 : 0);
    const set = { kind, resource, seed: seed + index, objects: share(objects), spare: share(spare) };
    const first = this.#version + 1;
    const source = objects > MOST_KEPT_OBJECTS ? new MadeObjects(set, first) : new KeptObjects(set, first);
    this.#version = source.version;
    this.#collections.set(pathOf(resource), new Collection(resource, source));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const collection = this.#collections.get(url.pathname);
    response.setHeader('content-type', 'application/json');
    response.setHeader('cache-control', 'no-cache, private');
    if (collection === undefined) return this.#answerOther(url.pathname, response);
    if (isWatch(url.searchParams)) return collection.watch(response, readWatchQuery(url.searchParams));
    const query = readListQuery(url.searchParams);
    const isGzipped =
      this.#options.gzip === true && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (!isGzipped) return collection.list(response, query);
    response.setHeader('content-encoding', 'gzip');
    // Level 1, as the real server.
    const gzip = createGzip({ level: zlib.Z_BEST_SPEED });
    gzip.pipe(response);
    response.on('close', () => gzip.destroy());
    return collection.list(gzip, query);
  }

  /** As much of discovery as clients ask for. */
  #answerOther(path: string, response: ServerResponse): void {
    const resources = [...this.#collections.values()]
      .map(({ resource }) => resource)
      .filter((resource) => path === pathOf(resource).slice(0, -resource.plural.length - 1));
    if (path === '/version') {
      response.end(JSON.stringify({ major: '1', minor: '37', gitVersion: 'v1.37.0-bench' }));
    } else if (resources.length > 0) {
      const groupVersion = apiVersionOf(resources[0]!);
      const list = resources.map(({ plural: name, kind, namespaced }) => {
        return { name, singularName: kind.toLowerCase(), namespaced, kind, verbs: ['list', 'watch'] };
      });
      response.end(
        JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: list }),
      );
    } else sendStatus(response, 404, `the server could not find ${path}`);
  }
}

function sendStatus(response: ServerResponse, code: number, message: string): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
}
