/** What arguments must be. Each function throws a {@link QueueArgumentError} that says what is allowed. */
import { QueueArgumentError } from './errors.ts';

/** Milliseconds, finite and from 0 on. An endless delay would be an item that is never handed out. */
export function requireDelayMs(argument: string, value: number): void {
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw new QueueArgumentError(argument, `${argument} is ${value}; give milliseconds, 0 or more`);
}

export function requirePositive(argument: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new QueueArgumentError(argument, `${argument} is ${value}; give a number above 0`);
}

export function requireCount(argument: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new QueueArgumentError(argument, `${argument} is ${value}; give a whole number, ${least} or more`);
}

export function requirePriority(value: number): void {
  if (Number.isSafeInteger(value)) return;
  throw new QueueArgumentError(
    'priority',
    `priority is ${value}; give a whole number, more for what is urgent`,
  );
}

/** Part of a whole, from 0 to 1. */
export function requireFraction(argument: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new QueueArgumentError(argument, `${argument} is ${value}; give a number from 0 to 1`);
}

/** `get` returns undefined when the queue has shut down, so it can't be an item. */
export function requireItem(item: unknown): void {
  if (item === undefined)
    throw new QueueArgumentError('item', 'undefined is no item; add a key, for example a string');
}
