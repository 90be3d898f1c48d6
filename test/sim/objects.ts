/** Draws objects: few keys that are used again and again, and contents that a scanner may stumble over. */
import type { Random } from '../../src/testing/random.ts';
import type { Thing } from './etcd.ts';

const NAMESPACES = ['a', 'default'];
const NAMES = ['x', 'web-0', 'web-1', 'n.1', 'long-name-that-is-not-so-short-any-more', 'q'];
const NODES = ['node-1', 'node-2', 'node/3', 'ünode', ''];
/** Pieces of text that look like the end of something, or take several bytes. */
const PIECES = [
  '}',
  ']',
  '{"',
  '"',
  '\\',
  '\n',
  'ö',
  '☃',
  '😀',
  'metadata',
  ':',
  ',',
  ' ',
  'word',
  '\u0000',
  '\u2028',
];

export const KEYS: readonly string[] = NAMESPACES.flatMap((namespace) =>
  NAMES.map((name) => `${namespace}/${name}`),
);

export function drawObject(random: Random, key: string, uid: string, revision: number): Thing {
  const [namespace, name] = key.split('/') as [string, string];
  return {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(revision),
      ...(random.chance(0.5) && { managedFields: [{ manager: 'sim', fieldsV1: { 'f:a': {}, 'f:b': {} } }] }),
      labels: { color: random.pick(['red', 'blue']), 'app.kubernetes.io/name': drawText(random, 3) },
    },
    spec: { node: random.pick(NODES), text: drawText(random, 1 + Math.floor(random.fraction() ** 6 * 400)) },
    ...(random.chance(0.02) && { blob: 'x'.repeat(random.below(90_000)) }),
    status: { count: random.below(1000), ready: random.chance(0.5), none: null, list: [1, { a: [] }, 'z'] },
  };
}

function drawText(random: Random, pieces: number): string {
  let text = '';
  for (let i = 0; i < pieces; i++) text += random.pick(PIECES);
  return text;
}
