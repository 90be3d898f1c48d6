/** The ways in which kubering takes part: its defaults, and options of which users should know what they bring. */
import { drop, type InformerOptions } from '../../../src/index.ts';
import type { BenchObject } from '../../contender/index.ts';

export interface Variant {
  readonly label: string;
  readonly options: InformerOptions<BenchObject>;
}

export const VARIANTS = {
  kubering: { label: 'kubering', options: {} },
  'kubering-drop': {
    label: 'kubering, managedFields dropped',
    options: { project: drop('metadata.managedFields') },
  },
  'kubering-record': { label: 'kubering, bodies as records', options: { bodies: 'record' } },
} as const satisfies Readonly<Record<string, Variant>>;

export type VariantName = keyof typeof VARIANTS;
