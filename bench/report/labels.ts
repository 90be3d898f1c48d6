/** What contenders and ways to read objects are called on a page. */
import type { Mode } from '../suite/protocol.ts';

const LABELS: Readonly<Record<string, string>> = {
  'kubering-drop': 'kubering without managedFields',
  'kubering-record': 'kubering, bodies as records',
  'fluent-client': 'kubernetes-fluent-client',
  'client-go-typed': 'client-go, typed JSON',
  'client-go-protobuf': 'client-go, typed protobuf',
  'client-go-dynamic': 'client-go, dynamic',
};

export const MODE_LABELS: Readonly<Record<Mode, string>> = {
  keys: 'keys read',
  'two-fields': 'two fields read',
  'decode-all': 'all decoded',
};

export function labelOf(contender: string): string {
  return LABELS[contender] ?? contender;
}
