/** Functions of users that run in a worker: given as a module and the name of what it exports. */
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FieldOptionsError } from './fields.ts';
import { kindOf } from './kind-of.ts';

/**
 * A function that a worker imports, because no function can be sent to a thread:
 * `{ module: new URL('./pods.js', import.meta.url), export: 'byImage' }`. It has to be synchronous.
 */
export interface ModuleFunction {
  /** A URL, or the absolute path of a file. Of a package: `import.meta.resolve('its-name')`. */
  readonly module: URL | string;
  /** @default 'default' */
  readonly export?: string;
}

/** A {@link ModuleFunction} that can be posted. */
export interface ModuleExport {
  /** A URL. */
  readonly module: string;
  readonly export: string;
}

/**
 * @param where - names the option, for the message
 * @throws FieldOptionsError when it can't be a function of a module
 */
export function moduleExportOf(where: string, spec: ModuleFunction): ModuleExport {
  const { module, export: name = 'default' } = spec;
  if (typeof name !== 'string' || name === '') {
    throw new FieldOptionsError(
      'FIELD_TYPE',
      `${where}.export is the name of an export, not ${kindOf(name)}`,
    );
  }
  if (module instanceof URL) return { module: module.href, export: name };
  if (typeof module === 'string') {
    if (isAbsolute(module)) return { module: pathToFileURL(module).href, export: name };
    if (URL.canParse(module)) return { module: new URL(module).href, export: name };
  }
  const given = typeof module === 'string' ? JSON.stringify(module) : kindOf(module);
  const message =
    `${where}.module is the URL of a module, or the absolute path of its file, not ${given}: ` +
    "new URL('./file.js', import.meta.url) is one, and import.meta.resolve('package') another";
  throw new FieldOptionsError('FIELD_TYPE', message);
}

export function isModuleFunction(spec: unknown): spec is ModuleFunction {
  return typeof spec === 'object' && spec !== null && 'module' in spec;
}

export function isSameModuleExport(a: ModuleExport, b: ModuleExport): boolean {
  return a.module === b.module && a.export === b.export;
}
