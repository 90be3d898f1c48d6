import { LabelSelectorError, parseLabelSelector } from '../selector/index.ts';
import type { Filter } from './selectors.ts';
import { badRequest } from './status.ts';

/**
 * Compiles a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`,
 * separated by commas.
 *
 * @throws ApiStatusError (400), with the message that the real server would give
 */
export function compileLabelSelector(text: string): Filter {
  const selector = parseOrRefuse(text);
  return (object) => selector.matches(object.labels);
}

function parseOrRefuse(text: string) {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw error instanceof LabelSelectorError ? badRequest(error.reason) : error;
  }
}
