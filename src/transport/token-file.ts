import { readFile, stat } from 'node:fs/promises';
import { CredentialsError, codeOfError, safeCause } from './errors.ts';

/** Some file systems change a file without its times, and those of Kubernetes' volumes are links to links. */
const READ_AGAIN_MS = 60_000;

/** A token is a few KB; what is much longer is another file. */
const MAX_TOKEN_BYTES = 1024 * 1024;

/**
 * A bearer token in a file that somebody rotates: read again when the file changed, after a minute, and when the
 * token was refused. While the file can't be read, its last token is used, as it is in client-go's
 * `transport/token_source.go`.
 */
export class TokenFile {
  readonly path: string;
  readonly #now: () => number;
  #token = '';
  #version = '';
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, now: () => number) {
    this.path = path;
    this.#now = now;
  }

  /**
   * @param refresh - the last token was refused
   * @throws CredentialsError when there is none
   */
  async token(refresh: boolean): Promise<string> {
    try {
      await this.#readAgain(refresh);
    } catch (error) {
      if (this.#token === '' || refresh) throw unreadable(this.path, error);
    }
    return this.#token;
  }

  async #readAgain(refresh: boolean): Promise<void> {
    const { mtimeMs, ino, size } = await stat(this.path);
    const version = `${mtimeMs} ${ino} ${size}`;
    const isFresh = version === this.#version && this.#now() - this.#readMs < READ_AGAIN_MS;
    if (isFresh && !refresh) return;
    if (size > MAX_TOKEN_BYTES) throw new Error(`it has ${size} bytes, which no token has`);
    const token = (await readFile(this.path, 'utf8')).trim();
    if (token === '') throw new Error('it is empty');
    this.#token = token;
    this.#version = version;
    this.#readMs = this.#now();
  }
}

function unreadable(path: string, error: unknown): CredentialsError {
  const cause = safeCause(error);
  const isMissing = codeOfError(error) !== '';
  const message = isMissing
    ? `the token file can't be read: ${cause.message}; correct its path, or see why nobody writes it`
    : `the token file ${path} holds no token: ${cause.message}; see why nobody writes it`;
  return new CredentialsError(message, { code: isMissing ? 'file-unreadable' : 'token-file-empty', cause });
}
