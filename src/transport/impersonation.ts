import type { User } from '@kubernetes/client-node';
import type { RequestHeaders } from './types.ts';
import { userExtras } from './user-entry.ts';

/**
 * The headers that ask the API server to take the request for somebody else's. client-node sends the user's alone.
 * Source: `impersonatingRoundTripper` in client-go's `transport/round_trippers.go`.
 */
export function impersonationHeaders(user: User | null): RequestHeaders {
  const { impersonateGroups = [], impersonateUid, impersonateExtra = {} } = userExtras(user);
  const headers: Record<string, string | string[]> = {};
  if (impersonateGroups.length > 0) headers['Impersonate-Group'] = [...impersonateGroups];
  if (impersonateUid) headers['Impersonate-Uid'] = impersonateUid;
  for (const [key, values] of Object.entries(impersonateExtra)) {
    headers[`Impersonate-Extra-${escapeHeaderName(key)}`] = [...values];
  }
  return headers;
}

/** Keys of extra fields are free text, header names are not: the server reads `%XX` back. */
function escapeHeaderName(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
