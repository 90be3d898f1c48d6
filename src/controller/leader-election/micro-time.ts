/**
 * A time as `metav1.MicroTime`: RFC 3339 in UTC with exactly six digits of a second.
 *
 * @param epochMs - milliseconds since 1970, with fractions down to microseconds
 */
export function microTime(epochMs: number): string {
  const micros = Math.round(epochMs * 1000);
  const wholeMs = Math.floor(micros / 1000);
  const rest = String(micros - wholeMs * 1000).padStart(3, '0');
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${rest}Z`;
}
