import { PROGRESS_INTERVAL_MS } from './limits.ts';
import type { Clock, ReflectorNotice } from './types.ts';

/** Tells how far a list came, not more often than {@link PROGRESS_INTERVAL_MS} except for its end. */
export class Progress {
  readonly #clock: Clock;
  readonly #notice: (notice: ReflectorNotice) => void;
  /** Items of the pages that were read. */
  #readItems = 0;
  /** Items of the running page. */
  #pageItems = 0;
  #remaining: number | undefined;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, notice: (notice: ReflectorNotice) => void) {
    this.#clock = clock;
    this.#notice = notice;
  }

  begin(): void {
    this.#readItems = 0;
    this.#pageItems = 0;
    this.#remaining = undefined;
  }

  /** `items` of the running page were read. */
  page(items: number): void {
    this.#pageItems = items;
    const nowMs = this.#clock.now();
    if (nowMs - this.#toldMs < PROGRESS_INTERVAL_MS) return;
    this.#toldMs = nowMs;
    this.#tell();
  }

  /** A page is complete; `remaining` counts from its end. */
  pageRead(items: number, remaining: number | undefined): void {
    this.#readItems += items;
    this.#remaining = remaining;
    this.page(0);
  }

  end(): void {
    this.#remaining = undefined;
    this.#tell();
  }

  #tell(): void {
    const items = this.#pageItems;
    const remaining = this.#remaining === undefined ? undefined : Math.max(0, this.#remaining - items);
    this.#notice({
      type: 'progress',
      items: this.#readItems + items,
      ...(remaining !== undefined && { remaining }),
    });
  }
}
