/** Functions of users that run in a worker: which there are, and how they get there. */

import type { ModuleExport } from '../index/index.ts';
import { describeResource, type ResourceRef } from '../reflector/index.ts';

/** What is done with each object that is put with its body. */
export interface FunctionsSpec {
  /** Its result is stored in place of the object. */
  readonly transform?: ModuleExport;
  /** Index functions, with the fields that their values go to. */
  readonly indexes: readonly (ModuleExport & { readonly name: string; readonly fieldId: number })[];
}

type UserFunction = (object: object) => unknown;

/** The same with the functions themselves. */
export interface UserFunctions {
  readonly transform: UserFunction | undefined;
  readonly indexes: readonly {
    readonly name: string;
    readonly fieldId: number;
    readonly call: UserFunction;
  }[];
}

/** A module of a user can't be loaded, or does not export the function. */
export class ModuleFunctionError extends Error {
  override readonly name = 'ModuleFunctionError';
  readonly code = 'module-failed';
}

/** @throws ModuleFunctionError */
export async function loadFunctions(resource: ResourceRef, spec: FunctionsSpec): Promise<UserFunctions> {
  const what = describeResource(resource);
  const transform =
    spec.transform === undefined ? undefined : await load(`${what}: transform`, spec.transform);
  const indexes = [];
  for (const { name, fieldId, ...one } of spec.indexes) {
    indexes.push({ name, fieldId, call: await load(`${what}: the index '${name}'`, one) });
  }
  return { transform, indexes };
}

async function load(what: string, { module, export: name }: ModuleExport): Promise<UserFunction> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = (await import(module)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ModuleFunctionError(`${what}: the module ${module} can't be loaded: ${reason}`, { cause });
  }
  const found = exports[name];
  if (typeof found === 'function') return found as UserFunction;
  throw new ModuleFunctionError(`${what}: the module ${module} exports no function '${name}'`);
}
