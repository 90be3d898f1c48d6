/** What an error that a function threw means: an API server's refusal, or a connection that broke. */
import type { ApiStatus } from '../reflector/index.ts';
import { isMap, ListWatchError, textOfError } from './errors.ts';

/** A refusal as an API server would send it. */
export interface Refusal {
  readonly httpStatus: number;
  readonly status: ApiStatus;
}

const MIN_ERROR_STATUS = 400;
const MAX_ERROR_STATUS = 599;

/** A Status that names a reason and no code: the reason decides what is done about it. */
const UNKNOWN_STATUS = 500;

/**
 * The refusal that an error stands for: one with an HTTP status as `code`, `statusCode` or `status`, a Status, or
 * one with a Status as its `body`, as client-node's ApiException. Undefined for every other error.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isMap(error)) return undefined;
  const body = statusIn(error.body);
  const said = body ?? (error.kind === 'Status' ? error : undefined);
  const httpStatus = [error.code, error.statusCode, error.status, said?.code].find(isErrorStatus);
  const reason = said?.reason ?? error.reason;
  if (httpStatus === undefined && (said === undefined || typeof reason !== 'string')) return undefined;
  const details = isMap(said?.details) ? said.details : {};
  return {
    httpStatus: httpStatus ?? UNKNOWN_STATUS,
    status: {
      kind: 'Status',
      ...(httpStatus !== undefined && { code: httpStatus }),
      ...(typeof reason === 'string' && { reason }),
      message: typeof said?.message === 'string' ? textOfError(said.message) : messageOf(error),
      details: { retryAfterSeconds: retryAfterSeconds(details, error.headers), causes: causesIn(details) },
    },
  };
}

/** An error that no server sent, as it is told: with its own code when that is a text. */
export function failureOfThrown(verb: 'list' | 'watch', error: unknown): ListWatchError {
  if (error instanceof ListWatchError) return error;
  const code = isMap(error) && typeof error.code === 'string' ? error.code : `${verb}-failed`;
  return new ListWatchError(`the ${verb} function threw: ${textOfError(error)}`, { code, cause: error });
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= MIN_ERROR_STATUS && value <= MAX_ERROR_STATUS;
}

function messageOf(error: Record<string, unknown>): string {
  return typeof error.message === 'string' ? textOfError(error.message) : '';
}

/** client-node gives bodies that it has no type for as text. */
function statusIn(body: unknown): Record<string, unknown> | undefined {
  let value = body;
  if (typeof body === 'string') {
    try {
      value = JSON.parse(body);
    } catch {
      return undefined;
    }
  }
  return isMap(value) && value.kind === 'Status' ? value : undefined;
}

function retryAfterSeconds(details: Record<string, unknown>, headers: unknown): number {
  if (typeof details.retryAfterSeconds === 'number') return details.retryAfterSeconds;
  const header = isMap(headers) ? Number(headers['retry-after']) : 0;
  return Number.isFinite(header) ? Math.max(header, 0) : 0;
}

/** Some refusals are told apart by their causes. */
function causesIn(
  details: Record<string, unknown>,
): NonNullable<NonNullable<ApiStatus['details']>['causes']> {
  if (!Array.isArray(details.causes)) return [];
  return details.causes.filter(isMap).map(({ reason, message }) => ({
    ...(typeof reason === 'string' && { reason }),
    ...(typeof message === 'string' && { message }),
  }));
}
