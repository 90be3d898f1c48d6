/**
 * URLs of modules that are loaded by name: worker entries. The sources run as `.ts`, the package as `.js`;
 * a module asks here for its neighbour and gets the one that belongs to itself.
 */

/**
 * @param name - path without extension, relative to `base`, for example `./entry`
 * @param base - the caller's `import.meta.url`
 */
export function moduleUrl(name: string, base: string): URL {
  return new URL(`${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
}

/** A file that lies beside the caller in the sources and in the package alike, such as the WASM module. */
export function assetUrl(name: string, base: string): URL {
  return new URL(name, base);
}
