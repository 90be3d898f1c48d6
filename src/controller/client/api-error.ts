/** What a Status of the API server says, as far as we use it. */
interface StatusBody {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: {
    readonly retryAfterSeconds?: unknown;
    readonly causes?: readonly { readonly reason?: unknown }[];
  };
}

/** Longest text of the server that a message repeats. */
const MAX_TEXT_CHARS = 500;

/** The API server answered a request with a failure. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The reason of the Status in kebab case, for example 'not-found' or 'conflict'; else for example 'http-502'. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** Reasons of the causes in the Status, for example 'NamespaceTerminating'. */
  readonly causes: readonly string[];
  /** How long the server asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** @internal */
  constructor(
    message: string,
    details: { code: string; status: number; causes?: readonly string[]; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** A response that is not a success. */
export interface FailedResponse {
  /** What was asked, for messages: `PUT /apis/…`. */
  readonly request: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** The server's text may quote what the object holds, and nobody may see that. */
  readonly isSecret: boolean;
}

/** Makes an error of a response, whatever its body is. */
export function apiError({ request, status, retryAfter, body, isSecret }: FailedResponse): ApiError {
  const answer = statusBody(body);
  const reason = typeof answer?.reason === 'string' && answer.reason !== '' ? answer.reason : undefined;
  const text =
    typeof answer?.message === 'string' && !isSecret ? `: ${answer.message.slice(0, MAX_TEXT_CHARS)}` : '';
  return new ApiError(`${request} failed with HTTP ${status}${reason ? ` ${reason}` : ''}${text}`, {
    code: reason === undefined ? `http-${status}` : kebabCase(reason),
    status,
    causes: causesOf(answer),
    retryAfterMs: retryAfterMs(retryAfter, answer),
  });
}

/**
 * The HTTP status in an error: of an {@link ApiError}, or of client-node's ApiException, whose `code` is a number, so
 * that clients of one's own can be made of either.
 */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof ApiError) return error.status;
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') return error.code;
  return undefined;
}

function statusBody(body: string): StatusBody | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'kind' in parsed && parsed.kind === 'Status'
      ? parsed
      : undefined;
  } catch {
    // Proxies answer with HTML or nothing: the HTTP status is all there is.
    return undefined;
  }
}

function causesOf(status: StatusBody | undefined): string[] {
  const causes = status?.details?.causes;
  if (!Array.isArray(causes)) return [];
  return causes.map((cause) => String(cause?.reason ?? '')).filter((reason) => reason !== '');
}

function retryAfterMs(header: string | undefined, status: StatusBody | undefined): number | undefined {
  const seconds = Number(header ?? status?.details?.retryAfterSeconds);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function kebabCase(reason: string): string {
  return reason.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
