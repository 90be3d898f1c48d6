/** Why a request could not be made or did not end well. The message names no credentials. */
export class TransportError extends Error {
  /** Stable, for example 'connect-failed' or 'tls-failed'. */
  readonly code: string;

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'TransportError';
    this.code = options.code;
  }
}

/**
 * Why there are no credentials or no server to use them with. The message names the cluster, the user entry of the
 * kubeconfig, the cause and what to do, and never the credentials. `docs/credentials.md` lists the codes.
 */
export class CredentialsError extends Error {
  /** Stable, for example 'no-cluster' or 'exec-failed'. */
  readonly code: string;

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'CredentialsError';
    this.code = options.code;
  }
}

/**
 * A copy of an error without what only it may know: fields, causes, and whatever else the text shows of secrets.
 *
 * @param clean - what is done to its text; the default is for texts of others, which may quote credentials
 */
export function safeCause(error: unknown, clean: (text: string) => string = redact): Error {
  const safe = new Error(clean(textOf(error))) as Error & { code?: string };
  if (error instanceof Error) safe.name = error.name;
  const code = codeOfError(error);
  if (code !== '') safe.code = code;
  return safe;
}

/** The code of an error, of its first part or of its cause; '' when it has none. */
export function codeOfError(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOfError(error.errors[0]);
  return codeOfError(error.cause);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  // Several addresses were tried: the error itself says nothing, its parts do.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(textOf))].join('; ');
  return error.name;
}

/** Longest text of somebody else that we repeat. */
const MAX_TEXT_CHARS = 500;

/** Tokens, keys and passwords of machines are longer than words. */
const SECRET_CHARS = 32;
const LONG_RUN = new RegExp(`[A-Za-z0-9_.+/=-]{${SECRET_CHARS},}`, 'g');
const AUTHORIZATION = /(bearer|basic)\s+\S+/gi;
const USER_INFO = /\/\/[^\s/]*@/g;
/** `password=x`, `"token": "x"`, `--client-secret x`: short ones too, because people choose them. */
const SECRET_NAME = '(?:pass(?:word|wd|phrase)?|token|secret|(?:api|access|private)[-_]?key)';
const NAMED_SECRET = new RegExp(`(${SECRET_NAME}["']?\\s*[=:]\\s*)("[^"]*"|'[^']*'|\\S+)`, 'gi');
const SECRET_FLAG = new RegExp(`(--[\\w-]*${SECRET_NAME} )\\S+`, 'gi');

/** Cuts passwords out of URLs. For texts of our own runtime, which quotes no credentials. */
export function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, '//').slice(0, MAX_TEXT_CHARS).trim();
}

/**
 * Cuts out all that looks like a token, a password or an Authorization header. Paths and hosts survive.
 *
 * @param known - secrets that may be quoted, however they look
 */
export function redact(text: string, known: readonly string[] = []): string {
  const unquoted = known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const marked = unquoted
    .replace(AUTHORIZATION, '$1 [redacted]')
    .replace(NAMED_SECRET, '$1[redacted]')
    .replace(SECRET_FLAG, '$1[redacted]');
  return withoutUserInfo(marked.replace(LONG_RUN, (run) => (isPathOrHost(run) ? run : '[redacted]')));
}

/** Of short parts: `/var/run/secrets/kubernetes.io/serviceaccount/token`, `a1b2.gr7.eu-west-1.eks.example.com`. */
function isPathOrHost(run: string): boolean {
  const parts = run.startsWith('/') ? run.split('/') : /[/+=]/.test(run) ? [run] : run.split('.');
  return parts.every((part) => part.length < SECRET_CHARS);
}
