import { WATCH_SECONDS_MAX, WATCH_SECONDS_MIN } from './limits.ts';
import type { RequestOptions } from './options.ts';
import type { ApiRequest } from './types.ts';
import type { PageQuery } from './urls.ts';
import { initialStreamPath, listPath, resourcePath, watchPath } from './urls.ts';

const JSON_TYPE = 'application/json';

/** Makes the requests of one Reflector: their URLs and headers. */
export class Requests {
  readonly #options: RequestOptions;
  readonly #listAccept: string;
  readonly #watchAccept: string;

  constructor(options: RequestOptions) {
    // A resource that can't be put in a URL is the caller's mistake: better here than in a retry loop.
    resourcePath(options.resource);
    this.#options = options;
    const { accept = JSON_TYPE, metadataOnly = false } = options;
    this.#listAccept = metadataOnly ? acceptAs('PartialObjectMetadataList') : accept;
    this.#watchAccept = metadataOnly ? acceptAs('PartialObjectMetadata') : accept;
  }

  list(page: PageQuery, newCredentials: boolean): ApiRequest {
    return this.#request(
      listPath(this.#options.resource, this.#options, page),
      this.#listAccept,
      newCredentials,
    );
  }

  watch(resourceVersion: string, newCredentials: boolean): ApiRequest {
    const path = watchPath(this.#options.resource, this.#options, resourceVersion, this.#watchSeconds());
    return this.#request(path, this.#watchAccept, newCredentials);
  }

  /** A watch that begins with all objects. */
  initialStream(resourceVersion: string, newCredentials: boolean): ApiRequest {
    const { resource } = this.#options;
    const path = initialStreamPath(resource, this.#options, resourceVersion, this.#watchSeconds());
    return this.#request(path, this.#watchAccept, newCredentials);
  }

  #request(path: string, accept: string, newCredentials: boolean): ApiRequest {
    const headers = { accept, 'accept-encoding': this.#options.compression ?? 'identity' };
    return { path, headers, ...(newCredentials && { refreshCredentials: true }) };
  }

  #watchSeconds(): number {
    const span = WATCH_SECONDS_MAX - WATCH_SECONDS_MIN + 1;
    return WATCH_SECONDS_MIN + Math.floor(this.#options.random() * span);
  }
}

/** Whole objects are taken too: a server that can't make this of them must not refuse. */
function acceptAs(kind: string): string {
  return `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
}
