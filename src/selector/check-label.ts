/**
 * What may be a label's key and value.
 * Source: `IsQualifiedName` and `IsValidLabelValue` in apimachinery's `pkg/util/validation/validation.go`.
 */

const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** @returns what is wrong with the key, or undefined */
export function wrongKey(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) return `a qualified name ${NAME_RULE} with an optional DNS subdomain prefix and '/'`;
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    if (prefix === '') return 'prefix part must be non-empty';
    if (prefix.length > MAX_PREFIX_LENGTH)
      return `prefix part must be no more than ${MAX_PREFIX_LENGTH} bytes`;
    if (!PREFIX.test(prefix)) {
      return "prefix part must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    }
  }
  if (name === '') return 'name part must be non-empty';
  if (name.length > MAX_NAME_LENGTH) return `name part must be no more than ${MAX_NAME_LENGTH} bytes`;
  return NAME.test(name) ? undefined : `name part ${NAME_RULE}`;
}

/** @returns what is wrong with the value, or undefined */
export function wrongValue(value: string): string | undefined {
  if (value.length > MAX_NAME_LENGTH) return `must be no more than ${MAX_NAME_LENGTH} bytes`;
  return value === '' || NAME.test(value)
    ? undefined
    : `a valid label must be an empty string or ${NAME_RULE.slice(5)}`;
}
