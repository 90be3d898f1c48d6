/**
 * Resource versions are decimal numbers of any length, and are compared as strings: one that does not fit a
 * double must not be rounded.
 */

/** True for the decimal numbers that can be compared. Servers that break the rule send anything. */
export function isComparable(resourceVersion: string): boolean {
  return /^[0-9]+$/.test(resourceVersion);
}

/**
 * Compares two resource versions of one resource.
 *
 * @param a - a decimal number of any length; '' counts as older than all
 * @param b - likewise
 * @returns below 0 when `a` is older, above 0 when it is newer, 0 when they are the same
 */
export function compareResourceVersions(a: string, b: string): number {
  const left = withoutZeros(a);
  const right = withoutZeros(b);
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether `a` is known to be older than `b`; what can't be compared is not. */
export function isOlder(a: string, b: string): boolean {
  return isComparable(a) && isComparable(b) && compareResourceVersions(a, b) < 0;
}

function withoutZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 0x30) start++;
  return start === 0 ? digits : digits.slice(start);
}
