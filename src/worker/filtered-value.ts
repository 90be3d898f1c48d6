/** Looks into the elements of arrays that a filter is about: `[?(@.controller==true)]`. */
import { BytePath } from '../index/index.ts';
import type { ScanFilter } from '../scan/index.ts';

/** Compiled filters, for as long as their programs live. */
const compiled = new WeakMap<ScanFilter, BytePath>();

/** The value that a path gives of an element, or undefined when it is not one that the filter takes. */
export function filteredValue(element: Buffer, filter: ScanFilter): string | undefined {
  let path = compiled.get(filter);
  if (path === undefined) {
    path = new BytePath([{ where: filter.where, is: filter.is }, ...filter.rest]);
    compiled.set(filter, path);
  }
  try {
    return path.elementValue(element);
  } catch {
    // What is no JSON has no value; whoever decodes the object will say so.
    return undefined;
  }
}
