import { requireCount } from './check.ts';

/** Options of {@link parallelizeUntil}. */
export interface ParallelizeOptions {
  /** How many pieces are worked on at once. */
  readonly workers: number;
  /** Consecutive pieces that a worker takes at a time. By default 1. */
  readonly chunkSize?: number;
  /** No piece is started after its abort; those that run are waited for. */
  readonly signal?: AbortSignal;
}

/**
 * Works on pieces 0 to `pieces - 1`, each once and some at a time: client-go's `ParallelizeUntil`.
 *
 * @returns a promise that is fulfilled when no piece is worked on any more: all are done, or the signal was aborted.
 *   It is rejected with the first error of a piece, after which none is started, once those that run have ended
 * @throws QueueArgumentError when a number is out of range
 */
export async function parallelizeUntil(
  pieces: number,
  doWorkPiece: (piece: number) => void | Promise<void>,
  { workers, chunkSize = 1, signal }: ParallelizeOptions,
): Promise<void> {
  requireCount('pieces', pieces, 0);
  requireCount('workers', workers, 1);
  requireCount('chunkSize', chunkSize, 1);
  let next = 0;
  let failure: { readonly cause: unknown } | undefined;

  const isOver = () => failure !== undefined || signal?.aborted === true;
  const work = async () => {
    while (next < pieces && !isOver()) {
      const first = next;
      const end = Math.min(first + chunkSize, pieces);
      next = end;
      for (let piece = first; piece < end && !isOver(); piece++) {
        try {
          await doWorkPiece(piece);
        } catch (cause) {
          failure ??= { cause };
        }
      }
    }
  };
  const chunks = Math.ceil(pieces / chunkSize);
  await Promise.all(Array.from({ length: Math.min(workers, chunks) }, work));
  if (failure !== undefined) throw failure.cause;
}
