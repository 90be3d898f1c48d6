/** Everything that would end a run badly is found before it starts. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { availableMemory } from 'node:process';
import type { Contender } from './contender.ts';
import { bytesOf } from './costs.ts';
import { OptionsError } from './options.ts';
import type { Step } from './plan.ts';

/** Thrown when this machine can't do what was asked for; the message says what it can. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError';
  readonly code = 'ERR_BENCH_CANNOT_RUN';
}

/** @returns the contenders of these names, or all for none @throws {@link OptionsError} when there is no such */
export function contendersNamed(names: readonly string[], all: readonly Contender[]): readonly Contender[] {
  if (names.length === 0) return all;
  return names.map((name) => {
    const found = all.find((contender) => contender.name === name);
    if (found !== undefined) return found;
    throw new OptionsError(
      `there is no contender '${name}'; there are ${all.map((contender) => contender.name).join(', ')}`,
    );
  });
}

/** @param freeBytes - memory that programs can still have @throws {@link CannotRunError} naming the largest sample that doesn't fit */
export function memorySuffices(steps: readonly Step[], freeBytes: number = availableMemory()): void {
  if (steps.length === 0) return;
  const needs = steps.map(({ contender, task }) => ({
    contender,
    task,
    bytes: bytesOf(contender.name, task),
  }));
  const largest = needs.reduce((a, b) => (a.bytes >= b.bytes ? a : b));
  if (largest.bytes <= freeBytes) return;
  const { contender, task, bytes } = largest;
  throw new CannotRunError(
    `${task.objects} objects need some ${gigabytes(bytes)} GB with ${contender.name}, and ${gigabytes(freeBytes)} GB ` +
      `are free: ask for fewer with --objects, or name others with --contenders`,
  );
}

/** @param port - 0 is always free @throws {@link CannotRunError} */
export async function portIsFree(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CannotRunError(`port ${port} can't be listened on (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
  await once(server.close(), 'close');
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
