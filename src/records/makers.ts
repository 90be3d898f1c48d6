/** Functions that make objects of one shape, by reading a value for each key. */

/** Reads the next value of the record. */
export type ReadValue = () => unknown;
export type Maker = () => object;

/**
 * Keys that may stand in code. They come from a cluster: nothing that could end the quotes around it is let through,
 * and `__proto__` would not be a key there.
 */
const PLAIN_KEY = /^[\w./:@ -]{1,100}$/;

/** So many objects of a shape are made before code is made for it: rare shapes are not worth it. */
const COMPILE_AFTER = 16;

/** Most compiled shapes of a thread. Kubernetes' own types have a few thousand; the rest would be keys of maps. */
const MAX_COMPILED = 8192;

export interface MakersOptions {
  /** Whether code may be made. False where Node.js runs with `--disallow-code-generation-from-strings`. */
  readonly compiles: boolean;
}

export class Makers {
  readonly #compiles: boolean;
  readonly #read: ReadValue;
  /** By keys, so that epochs share them, and with them the hidden classes of their objects. */
  readonly #compiled = new Map<string, Maker>();

  constructor(read: ReadValue, options: MakersOptions) {
    this.#read = read;
    this.#compiles = options.compiles;
  }

  /**
   * A maker for a shape.
   *
   * @param replace - called with a better one when the shape turns out to be frequent
   */
  make(keys: readonly string[], replace: (maker: Maker) => void): Maker {
    if (keys.length === 0) return () => ({});
    const maker = plainMaker(this.#read, keys);
    if (!this.#compiles || !keys.every(isPlain)) return maker;
    const known = this.#compiled.get(keys.join('\n'));
    if (known !== undefined) return known;
    let uses = 0;
    return () => {
      if (++uses === COMPILE_AFTER && this.#compiled.size < MAX_COMPILED) replace(this.#compile(keys));
      return maker();
    };
  }

  #compile(keys: readonly string[]): Maker {
    const id = keys.join('\n');
    let maker = this.#compiled.get(id);
    if (maker === undefined) {
      const members = keys.map((key) => `${JSON.stringify(key)}: read()`);
      const outer = new Function('read', `'use strict'; return () => ({ ${members.join(', ')} });`);
      maker = outer(this.#read) as Maker;
      this.#compiled.set(id, maker);
    }
    return maker;
  }
}

function isPlain(key: string): boolean {
  return key !== '__proto__' && PLAIN_KEY.test(key);
}

/** Makes objects without code of their own. */
function plainMaker(read: ReadValue, keys: readonly string[]): Maker {
  const count = keys.length;
  if (keys.some(isInherited)) {
    return () => {
      const object = {};
      for (let i = 0; i < count; i++) setOwn(object, keys[i]!, read());
      return object;
    };
  }
  return () => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < count; i++) object[keys[i]!] = read();
    return object;
  };
}

/** Whether an assignment could do something else than make a property: `__proto__`, or frozen intrinsics. */
function isInherited(key: string): boolean {
  return key in Object.prototype;
}

/** Sets a property as JSON.parse does, whatever the key is. */
export function setOwn(object: object, key: string, value: unknown): void {
  if (isInherited(key)) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Whether this process may make code from strings. */
export function canCompile(): boolean {
  try {
    new Function('');
    return true;
  } catch {
    return false;
  }
}
