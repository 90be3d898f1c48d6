/** Field paths that are asked again and again, compiled once. */
import { BytePath } from './byte-path.ts';
import { parseFieldPath } from './parse.ts';

/** A program has as many paths as its source; more than this are made at run time, and are forgotten together. */
const MAX_PATHS = 1000;

const paths = new Map<string, BytePath>();

/**
 * The path that a text says.
 *
 * @throws FieldPathError when it is not a field path
 */
export function bytePathOf(text: string): BytePath {
  let path = paths.get(text);
  if (path === undefined) {
    path = new BytePath(parseFieldPath(text));
    if (paths.size >= MAX_PATHS) paths.clear();
    paths.set(text, path);
  }
  return path;
}
