import type { ApiRequest, ApiStatus, BodyProblem, BodyReader, Clock, Transport } from './types.ts';

/** How a call ended. */
export type CallOutcome =
  /** The body was read to its end. */
  | { readonly kind: 'read' }
  /** The body can't be read on. `brokenBy` when that is because the connection broke. */
  | { readonly kind: 'unreadable'; readonly problem: BodyProblem; readonly brokenBy: Error | undefined }
  /** The server answered with another status than 2xx. */
  | {
      readonly kind: 'refused';
      readonly httpStatus: number;
      readonly status: ApiStatus;
      readonly headers: Headers;
      /** Who was asked as whom; '' when that is no part of the reason. */
      readonly peer: string;
    }
  /** There was no connection, or it broke. */
  | { readonly kind: 'broken'; readonly error: Error }
  /** Nothing came for too long: no response at all, or nothing more of its body. */
  | { readonly kind: 'silent'; readonly responded: boolean; readonly limitMs: number };

export type Headers = Readonly<Record<string, string>>;

/** What holds until a reader says `initialEnd`. */
interface InitialEvents<Reader extends BodyReader> {
  /** Longest silence, in place of `idleLimitMs`. */
  readonly silenceLimitMs: number;
  /** Longest time from the response on, in milliseconds; while the sink is full it stands still. */
  readonly limitMs: number;
  /** The reader said `initialEnd`. False when the sink is full: asked again after `space`. */
  onEnd(reader: Reader): boolean;
}

/** What a call does and whom it tells. */
export interface CallPlan<Reader extends BodyReader> {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly request: ApiRequest;
  /** Longest wait for the response, in milliseconds. */
  readonly responseLimitMs: number;
  /** Longest silence of the body, in milliseconds; 0 for no limit. */
  readonly idleLimitMs: number;
  /** For a body that begins with initial events. */
  readonly initial?: InitialEvents<Reader>;
  /** Something came from the server, at a time of the clock. */
  onContact?: ((nowMs: number) => void) | undefined;
  /** So many bytes came. */
  onBytes?: ((bytes: number) => void) | undefined;
  /** Makes the reader of a 2xx body; undefined when there is no space yet: asked again after `space`. */
  openReader(): Reader | undefined;
  /** After each read: what the reader handed on so far may have grown. */
  onRead(reader: Reader): void;
  /** Once, unless the call was aborted. The reader is closed afterwards. */
  onOutcome(outcome: CallOutcome, reader: Reader | undefined): void;
}
