/** Values of index functions and columns as text. */

/** As JSON and JavaScript both print them. */
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * The text of a number, true or false as JSON has it; undefined for null and for what is no JSON. Numbers come in the
 * form that JavaScript prints, so that 1.0 and 1 are the same value. Integers stay as they are, because beyond 2^53 a
 * double would make different ones equal.
 */
export function literalText(json: string): string | undefined {
  if (INTEGER.test(json)) return json;
  try {
    const value = JSON.parse(json) as unknown;
    return value === null ? undefined : String(value);
  } catch {
    return undefined;
  }
}
