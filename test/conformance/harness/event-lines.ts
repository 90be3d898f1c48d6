import type { Dispatcher } from 'undici';
import type { Json } from './connection.ts';

/** Reads the lines of a watch. */
export class EventLines {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = '';

  constructor({ statusCode, headers, body }: Dispatcher.ResponseData) {
    this.status = statusCode;
    this.headers = headers;
    this.#body = body;
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** The next event, or undefined at a clean end. Rejects when the connection breaks. */
  async next(): Promise<Json> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end !== -1) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return JSON.parse(line);
      }
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest += (value as Buffer).toString();
    }
  }

  /** Events up to one that is wanted, or up to the end. */
  async until(isWanted: (event: Json) => boolean): Promise<Json[]> {
    const events: Json[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) return events;
      events.push(event);
      if (isWanted(event)) return events;
    }
  }

  close(): void {
    this.#body.on('error', () => {});
    this.#body.destroy();
  }
}
