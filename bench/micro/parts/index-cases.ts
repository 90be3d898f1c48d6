/** Index values of an object: by a function that a user would write, and by kubering's paths on objects and on bytes. */
import { BytePath, compileAccessor, parseFieldPath } from '../../../src/index/index.ts';
import type { Case } from '../store/measure.ts';
import type { Shape } from './shapes.ts';

interface Labelled {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
}

const LABEL = 'app.kubernetes.io/name';
const PATH = `metadata.labels['${LABEL}']`;

export function indexCases(all: readonly Shape[]): Case[] {
  const steps = parseFieldPath(PATH);
  const compiled = compileAccessor(steps);
  const onBytes = new BytePath(steps);
  const closure = ({ metadata }: Labelled) => metadata.labels[LABEL]!;
  return all.flatMap(({ name: contender, texts, bodies }) => {
    const objects = texts.map((text) => JSON.parse(text) as Labelled);
    const operations = objects.length;
    const each = <T>(items: readonly T[], read: (item: T) => string) => {
      return () => items.reduce((sum, item) => sum + read(item).length, 0);
    };
    return [
      { row: 'index value: closure', contender, operations, run: each(objects, closure) },
      {
        row: 'index value: path on an object',
        contender,
        operations,
        run: each(objects, (o) => compiled(o)[0]!),
      },
      {
        row: 'index value: path on bytes, JavaScript',
        contender,
        operations,
        run: each(bodies, (body) => onBytes.indexValues(body, 0, body.length)[0]!),
      },
    ];
  });
}
