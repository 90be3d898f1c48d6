/** One step of a field path into an object. The scanner takes paths of the same form. */
export type PathStep =
  /** The value of a key of a map: `.spec`, `['app.kubernetes.io/name']`. */
  | { readonly key: string }
  /** Each element of an array: `[*]`. */
  | { readonly each: true }
  /** One element of an array, counted from 0: `[0]`. */
  | { readonly at: number }
  /** The elements of an array in which a key has this value: `[?(@.controller==true)]`. At most once in a path. */
  | { readonly where: string; readonly is: string | number | boolean }
  /** The keys of a map: `keys(…)`. Always the last step. */
  | { readonly keys: true };

/** Most steps of a path; Kubernetes objects are less than twenty deep. */
export const MAX_PATH_STEPS = 64;

/** Longest path in characters: labels and annotations have keys of up to 317. */
export const MAX_PATH_LENGTH = 1024;

/** Names that can be written behind a dot, without brackets and quotes. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A path as it is written, in one form for all ways to write it. */
export function formatFieldPath(steps: readonly PathStep[]): string {
  const last = steps.at(-1);
  if (last !== undefined && 'keys' in last) return `keys(${formatFieldPath(steps.slice(0, -1))})`;
  const text = steps.map(formatStep).join('');
  if (text === '') return '$';
  return text.startsWith('.') ? text.slice(1) : text;
}

function formatStep(step: PathStep): string {
  if ('each' in step) return '[*]';
  if ('at' in step) return `[${step.at}]`;
  if ('keys' in step) return '';
  if ('where' in step) return `[?(@${formatStep({ key: step.where })}==${formatLiteral(step.is)})]`;
  return PLAIN_NAME.test(step.key) ? `.${step.key}` : `[${quoteKey(step.key)}]`;
}

function formatLiteral(value: string | number | boolean): string {
  return typeof value === 'string' ? quoteKey(value) : String(value);
}

/** A key in single quotes, as a path has it. */
export function quoteKey(key: string): string {
  return `'${key.replace(/['\\]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}'`;
}
