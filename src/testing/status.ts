import type { Resource } from './resources.ts';

/** The body of an answer that is not an object: what Kubernetes calls a Status. */
export interface StatusBody {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** What a Status says about its object and causes. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
  retryAfterSeconds?: number;
}

/** Thrown by the server's own methods when a real API server would have answered with a failure. */
export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly code = 'ERR_API_STATUS';
  /** The body that goes over the wire. */
  readonly status: StatusBody;

  constructor(status: StatusBody) {
    super(status.message ?? `status ${status.code}`);
    this.status = status;
  }
}

/** The error with this HTTP code, reason and message. */
export function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: StatusDetails,
): ApiStatusError {
  // Keys are in the order in which the real server prints them; undefined ones are not printed.
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message } as StatusBody;
  if (reason !== undefined) status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return new ApiStatusError(status);
}

/** 400 with this message. */
export function badRequest(message: string): ApiStatusError {
  return failure(400, 'BadRequest', message);
}

/** 404 for an object. */
export function notFound(resource: Resource, name: string): ApiStatusError {
  return failure(404, 'NotFound', `${resource.qualifiedName} "${name}" not found`, about(resource, name));
}

/** 409 for a create. */
export function alreadyExists(resource: Resource, name: string): ApiStatusError {
  const message = `${resource.qualifiedName} "${name}" already exists`;
  return failure(409, 'AlreadyExists', message, about(resource, name));
}

/** 409 for a write that was based on an older state. */
export function conflict(resource: Resource, name: string, why = STALE): ApiStatusError {
  const message = `Operation cannot be fulfilled on ${resource.qualifiedName} "${name}": ${why}`;
  return failure(409, 'Conflict', message, about(resource, name));
}
const STALE = 'the object has been modified; please apply your changes to the latest version and try again';

/** 410: the history that was asked for is gone. */
export function expired(message: string): ApiStatusError {
  return failure(410, 'Expired', message);
}

/** 504: the client knows a later state than this server does. */
export function resourceVersionTooLarge(asked: number, current: number): ApiStatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return failure(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}

/** 422 for options of a list or watch that contradict each other. */
export function forbiddenOption(field: string, why: string): ApiStatusError {
  return invalidOption('ListOptions', field, 'FieldValueForbidden', `Forbidden: ${why}`);
}

/** 422 for an option of a request that can't be used. */
export function invalidOption(
  kind: 'ListOptions' | 'PatchOptions',
  field: string,
  reason: string,
  why: string,
): ApiStatusError {
  const message = `${kind}.meta.k8s.io "" is invalid: ${field}: ${why}`;
  const causes = [{ reason, message: why, field }];
  return failure(422, 'Invalid', message, { group: 'meta.k8s.io', kind, causes });
}

/** 404 for a resource or subresource that a known API does not have. */
export function unknownResource(): ApiStatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 409 for a delete whose precondition does not hold. */
export function failedPrecondition(resource: Resource, name: string, why: string): ApiStatusError {
  const { group, kind } = resource;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  const message = `Operation cannot be fulfilled on ${qualifiedKind} "${name}": ${why}`;
  return failure(409, 'Conflict', message, { ...about(resource, name), kind });
}

/** 405 for a verb that the path does not know. */
export function methodNotAllowed(): ApiStatusError {
  const message = 'the server does not allow this method on the requested resource';
  return failure(405, 'MethodNotAllowed', message, {});
}

/** Details that name an object: name, group, kind, in this order. */
export function about(resource: Resource, name: string): StatusDetails {
  const details: StatusDetails = { name };
  if (resource.group !== '') details.group = resource.group;
  details.kind = resource.resource;
  return details;
}
