import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { type ResourceRef, resourcePath } from '../../reflector/index.ts';
import {
  type ConnectionInfo,
  CredentialsBroker,
  Dispatchers,
  describeTransportError,
  KEEP_ALIVE_MS,
  TransportError,
} from '../../transport/index.ts';
import { ApiError, apiError } from './api-error.ts';
import { type ApiObject, nameOf, type ObjectName, objectSegment } from './object-name.ts';

/** kube-apiserver ends requests after a minute itself: who waits longer waits for nothing. */
const REQUEST_LIMIT_MS = 60_000;

/** The server's audit log and managedFields name writers by it. */
const DEFAULT_USER_AGENT = 'kubering';

/** All fields are optional. */
export interface ApiClientOptions {
  /** Who is asking, for audit logs; its part before a slash is the field manager of writes. @default 'kubering' */
  readonly userAgent?: string;
  /** Longest time for one request, in milliseconds. @default 60 s */
  readonly requestLimitMs?: number;
}

/** All fields are optional. */
export interface RequestOptions {
  /** Aborts the request. What it was to do may have happened all the same. */
  readonly signal?: AbortSignal | undefined;
}

/** All fields are optional. */
export interface PatchOptions extends RequestOptions {
  /** For example `status`. */
  readonly subresource?: string | undefined;
}

/** All fields are optional. */
export interface DeleteOptions extends RequestOptions {
  /** Delete only the object that has this uid and this resourceVersion; another one is refused with `conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** What happens to the objects that it owns. @default what the server does for the resource, mostly `Background` */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** How long it may take to end, in seconds; 0 at once. @default what the object says */
  readonly gracePeriodSeconds?: number | undefined;
}

interface ApiRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly resource: ResourceRef;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Single objects of a Kubernetes API as plain JSON: what the server sent is what one gets, and what one gives is what
 * is sent. client-node's typed clients drop fields that they don't know, and make times to Dates of milliseconds; that
 * harms objects which others write, too. Each method rejects with an {@link ApiError} when the server refuses, a
 * TransportError when it can't be asked, a CredentialsError when nobody knows as whom, and an InvalidResourceError or
 * TypeError for names that no path may hold.
 *
 * Numbers that don't fit a double lose digits: change such objects with patches.
 */
export class ApiClient {
  readonly #kubeConfig: KubeConfig;
  readonly #userAgent: string;
  readonly #requestLimitMs: number;
  readonly #broker = new CredentialsBroker();
  readonly #dispatchers = new Dispatchers(KEEP_ALIVE_MS);

  /** @param kubeConfig - asked before each request, so that each has valid credentials */
  constructor(kubeConfig: KubeConfig, options: ApiClientOptions = {}) {
    this.#kubeConfig = kubeConfig;
    this.#userAgent = options.userAgent ?? DEFAULT_USER_AGENT;
    this.#requestLimitMs = options.requestLimitMs ?? REQUEST_LIMIT_MS;
  }

  /** Reads an object from the server, not from a cache. */
  async get<T extends ApiObject>(
    resource: ResourceRef,
    name: ObjectName,
    { signal }: RequestOptions = {},
  ): Promise<T> {
    return this.#send<T>({ method: 'GET', resource, path: objectPath(resource, name), signal });
  }

  /** Creates an object in the namespace that its metadata names. */
  async create<T extends ApiObject>(
    resource: ResourceRef,
    object: T,
    { signal }: RequestOptions = {},
  ): Promise<T> {
    const path = resourcePath(inNamespace(resource, object.metadata?.namespace));
    const contentType = 'application/json';
    return this.#send<T>({ method: 'POST', resource, path, body: object, contentType, signal });
  }

  /** Replaces an object; the server refuses with `conflict` when its resourceVersion is not the latest. */
  async update<T extends ApiObject>(
    resource: ResourceRef,
    object: T,
    { signal }: RequestOptions = {},
  ): Promise<T> {
    const path = objectPath(resource, nameOf(object));
    const contentType = 'application/json';
    return this.#send<T>({ method: 'PUT', resource, path, body: object, contentType, signal });
  }

  /** Changes an object by a JSON merge patch (RFC 7386): null removes, lists are replaced. */
  async patch<T extends ApiObject>(
    resource: ResourceRef,
    name: ObjectName,
    patch: object,
    { subresource, signal }: PatchOptions = {},
  ): Promise<T> {
    const path =
      objectPath(resource, name) + (subresource === undefined ? '' : `/${objectSegment(subresource)}`);
    const contentType = 'application/merge-patch+json';
    return this.#send<T>({ method: 'PATCH', resource, path, body: patch, contentType, signal });
  }

  /**
   * Deletes an object. It may still be there afterwards, with a deletionTimestamp: until its finalizers are gone, or its
   * time to end is over.
   *
   * @returns the object, or, where the server answers no more than a Status, its name, namespace and uid
   */
  async delete(
    resource: ResourceRef,
    name: ObjectName,
    { signal, ...options }: DeleteOptions = {},
  ): Promise<ApiObject> {
    const path = objectPath(resource, name);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
    const contentType = 'application/json';
    const answer = await this.#send<ApiObject & DeleteStatus>({
      ...{ method: 'DELETE', resource, path, body, contentType, signal },
    });
    return answer.kind === 'Status' ? deletedObject(name, answer) : answer;
  }

  /** Breaks off all requests and closes all connections. */
  async close(): Promise<void> {
    await this.#dispatchers.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #send<T>(request: ApiRequest): Promise<T> {
    const limit = AbortSignal.timeout(this.#requestLimitMs);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    let response = await this.#ask(request, false, signal, limit);
    // Credentials from a cache may have just expired: once more with new ones.
    if (response.status === 401) response = await this.#ask(request, true, signal, limit);
    return answerOf<T>(request, response);
  }

  async #ask(request: ApiRequest, refresh: boolean, signal: AbortSignal, limit: AbortSignal) {
    let server = 'the API server';
    try {
      const info = await unlessAborted(this.#broker.connectionInfo(this.#kubeConfig, refresh), signal);
      server = info.server;
      const options = this.#dispatchOptions(request, info);
      const answer = await this.#dispatchers.for(info).request({ ...options, signal });
      const { 'retry-after': retryAfter } = answer.headers;
      return {
        status: answer.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        body: await answer.body.text(),
      };
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      if (limit.aborted) throw timedOut(server, this.#requestLimitMs);
      throw describeTransportError(error, server);
    }
  }

  #dispatchOptions(request: ApiRequest, info: ConnectionInfo): Dispatcher.RequestOptions {
    const { origin, pathname } = new URL(info.server);
    return {
      origin,
      path: pathname.replace(/\/$/, '') + request.path,
      method: request.method,
      headers: {
        'user-agent': this.#userAgent,
        accept: 'application/json',
        ...(request.contentType !== undefined && { 'content-type': request.contentType }),
        ...info.headers,
      },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}

/** Of the Status that answers a deletion. */
interface DeleteStatus {
  readonly details?: { readonly uid?: string };
}

function deletedObject({ namespace, name }: ObjectName, { details }: DeleteStatus): ApiObject {
  const uid = details?.uid;
  return { metadata: { name, ...(namespace && { namespace }), ...(uid !== undefined && { uid }) } };
}

function answerOf<T>(
  { method, path, resource }: ApiRequest,
  { status, retryAfter, body }: { status: number; retryAfter: string | undefined; body: string },
): T {
  const request = `${method} ${path}`;
  if (status < 200 || status > 299) {
    const isSecret = resource.group === '' && resource.resource === 'secrets';
    throw apiError({ request, status, retryAfter, body, isSecret });
  }
  try {
    return JSON.parse(body) as T;
  } catch {
    // Without the parser's message, which quotes the body.
    const message = `${request} was answered with a body that is not JSON; see whether a proxy changes bodies`;
    throw new ApiError(message, { code: 'bad-body', status });
  }
}

/** A plugin that waits for somebody does not know of the signal. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function timedOut(server: string, limitMs: number): TransportError {
  return new TransportError(
    `${server}: no answer in ${limitMs / 1000} s; check that the server can be reached`,
    {
      code: 'request-timeout',
    },
  );
}

function objectPath(resource: ResourceRef, { namespace, name }: ObjectName): string {
  return `${resourcePath(inNamespace(resource, namespace))}/${objectSegment(name)}`;
}

/** A resource of an informer may be limited to a namespace; what counts for a request is the object's. */
function inNamespace({ group, version, resource }: ResourceRef, namespace: string | undefined): ResourceRef {
  return { group, version, resource, ...(namespace && { namespace }) };
}
