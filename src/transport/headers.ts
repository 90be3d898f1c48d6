import { CredentialsError } from './errors.ts';
import type { RequestHeaders } from './types.ts';

/**
 * Values as they can be sent. Token files end in a newline, which no header may hold; names of people have letters that
 * a header carries as UTF-8, as Go sends them.
 *
 * @throws CredentialsError when a value has other control characters; the message does not repeat it
 */
export function checkedHeaders(headers: RequestHeaders): RequestHeaders {
  const checked: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    checked[name] = Array.isArray(value)
      ? value.map((one) => checkedValue(name, one))
      : checkedValue(name, value);
  }
  return checked;
}

function checkedValue(name: string, value: string): string {
  const trimmed = value.trim();
  if (/^[\t\x20-\x7e]*$/.test(trimmed)) return trimmed;
  if (/^[\t\x20-\x7e\x80-\u{10ffff}]*$/u.test(trimmed))
    return Buffer.from(trimmed, 'utf8').toString('latin1');
  const message = `the value of the header ${name} has characters that no header may have; check the token and its file`;
  throw new CredentialsError(message, { code: 'invalid-header' });
}
