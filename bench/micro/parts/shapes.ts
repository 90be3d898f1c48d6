/**
 * Objects of several shapes. Code that has seen one shape only is faster than it will be in a program that watches five
 * resources, so each case is run on each shape by the same functions, one after the other, and on all of them in turn.
 */
import { type ObjectKind, resourceOf, Texts } from '../../server/index.ts';

export interface Shape {
  readonly name: string;
  /** Each object as a list has it. */
  readonly texts: readonly string[];
  readonly bodies: readonly Buffer[];
}

const SEED = 20_261_201;
const OBJECTS = 200;
/** 100 KB each. */
const LARGE_OBJECTS = 20;
const FIRST_VERSION = 1_000_000_001;

const ALL = 'all in turn';

/** Pods, custom resources with sorted keys, ConfigMaps of 100 KB, and objects of the first two kinds in turn. */
export function shapes(): Shape[] {
  const pods = textsOf('pod', OBJECTS);
  const custom = textsOf('custom', OBJECTS);
  return [
    shapeOf('Pods', pods),
    shapeOf('custom resources', custom),
    shapeOf('ConfigMaps of 100 KB', textsOf('configmap100k', LARGE_OBJECTS)),
    shapeOf(
      ALL,
      pods.flatMap((text, i) => [text, custom[i]!]),
    ),
  ];
}

function shapeOf(name: string, texts: readonly string[]): Shape {
  return { name, texts, bodies: texts.map((text) => Buffer.from(text)) };
}

function textsOf(kind: ObjectKind, count: number): string[] {
  const texts = new Texts({ kind, resource: resourceOf(kind), seed: SEED });
  return texts.page(0, count).map(({ head, tail }, i) => `${head}${FIRST_VERSION + i}${tail}`);
}
