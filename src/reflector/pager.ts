import type { PageQuery } from './urls.ts';

/** How a list that the server refused can be asked for again at once. */
export type ListFallback = 'full-list' | 'quorum' | undefined;

/**
 * Which pages of a list to ask for, and at which resourceVersion.
 *
 * - The first list is at '0': any cached state is good enough, and later ones are at the last synced version.
 * - '0' and '' are asked for in pages; a server with a watch cache ignores the limit at '0'. A concrete version is
 *   asked for as a whole, because only then the watch cache serves it. But when the list at '0' came in pages there
 *   is no watch cache, and paging stays.
 * - '' (a quorum read) only after the server called a list's version expired or too large, and where a part of a list was
 *   handed on already, until a list succeeds: another server may lag behind what that part shows.
 * - Pages after the first name neither version nor match: the token holds them. The list's version is that of page 1.
 */
export class Pager {
  readonly #pageLimit: number;
  /** The server pages even what a watch cache would send as a whole. Never taken back. */
  #pagesAlways = false;
  #needsQuorum = false;

  #resourceVersion = '';
  #whole = false;
  #continue = '';
  #listVersion = '';

  constructor(pageLimit: number) {
    this.#pageLimit = pageLimit;
  }

  /** Starts a list. `lastSynced` is '' before the first. */
  begin(lastSynced: string): void {
    this.#resourceVersion = this.#needsQuorum ? '' : lastSynced || '0';
    this.#whole = false;
    this.#fromTheStart();
  }

  /** Version for a stream of initial events in place of a list; '' is the latest state. */
  streamVersion(lastSynced: string): string {
    return this.#needsQuorum ? '' : lastSynced;
  }

  get onFirstPage(): boolean {
    return this.#continue === '';
  }

  /** Version of the whole list; '' until page 1 was read, and after it when the server names none. */
  get listVersion(): string {
    return this.#listVersion;
  }

  query(): PageQuery {
    if (!this.onFirstPage) return { resourceVersion: '', limit: this.#pageLimit, continue: this.#continue };
    return { resourceVersion: this.#resourceVersion, limit: this.#firstLimit(), continue: '' };
  }

  /**
   * Notes a page that was read.
   *
   * @returns true when another one follows
   */
  pageRead(resourceVersion: string, continueToken: string): boolean {
    if (this.onFirstPage) {
      this.#listVersion = resourceVersion;
      if (continueToken !== '' && this.#resourceVersion === '0') this.#pagesAlways = true;
    }
    this.#continue = continueToken;
    return continueToken !== '';
  }

  /** The server says that the token or the version is too old. Each way out is tried once per list. */
  expired(): ListFallback {
    if (this.onFirstPage) return this.tooLarge();
    if (this.#whole) return undefined;
    this.#whole = true;
    // The pages so far are known: another server may lag behind them.
    if (this.#listVersion !== '') this.#resourceVersion = this.#listVersion;
    this.#fromTheStart();
    return 'full-list';
  }

  /** The server says that it never heard of the version, or that page 1 of it is gone. */
  tooLarge(): ListFallback {
    const alreadyQuorum = this.#resourceVersion === '';
    this.#needsQuorum = true;
    if (alreadyQuorum) return undefined;
    this.#resourceVersion = '';
    this.#fromTheStart();
    return 'quorum';
  }

  /** The next list has to be at the latest state. */
  askLatest(): void {
    this.#needsQuorum = true;
  }

  succeeded(): void {
    this.#needsQuorum = false;
  }

  #fromTheStart(): void {
    this.#continue = '';
    this.#listVersion = '';
  }

  #firstLimit(): number {
    if (this.#whole) return 0;
    const isConcrete = this.#resourceVersion !== '' && this.#resourceVersion !== '0';
    return isConcrete && !this.#pagesAlways ? 0 : this.#pageLimit;
  }
}
