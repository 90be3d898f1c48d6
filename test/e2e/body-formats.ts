/**
 * The suites in which bodies matter run for each of these forms. Scenes, in which they hardly do, run with the one that
 * the environment names: `KUBERING_TEST_BODIES=record npm test`.
 */
import type { InformerOptions } from '../../src/index.ts';

export type BodyFormat = NonNullable<InformerOptions['bodies']>;

export const BODY_FORMATS = ['json', 'record'] as const;

/** Options of a factory; without the environment's word those of kubering itself. */
export function bodiesOfTests(): { defaults?: InformerOptions } {
  const bodies = process.env.KUBERING_TEST_BODIES as BodyFormat | undefined;
  return bodies === undefined ? {} : { defaults: { bodies } };
}
