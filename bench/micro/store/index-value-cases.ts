/** Ways to get an index value of an object: kubering's for objects and for bytes, and others beside them. */
import { compileAccessor } from '../../../src/index/accessor.ts';
import { BytePath } from '../../../src/index/byte-path.ts';
import { parseFieldPath } from '../../../src/index/parse.ts';
import { podsOfPage } from '../../pods/pod-lines.ts';
import type { Case } from './measure.ts';
import { type Pod, ROWS } from './rows.ts';

const LABEL = 'app.kubernetes.io/name';
const STEPS = ['metadata', 'labels', LABEL];

/** Pods without managedFields. */
export function indexValueCases(seed: number): Case[] {
  const pods = podsOfPage({ pods: 500, seed }, 0).map((line) => {
    const pod = JSON.parse(line) as { metadata: { managedFields?: unknown } };
    delete pod.metadata.managedFields;
    return pod as unknown as Pod;
  });
  const bodies = pods.map((pod) => Buffer.from(JSON.stringify(pod)));
  const steps = parseFieldPath(`metadata.labels['${LABEL}']`);
  const compiled = compileAccessor(steps);
  const onBytes = new BytePath(steps);
  const closure = (pod: Pod) => pod.metadata.labels[LABEL];
  const each = <T>(items: readonly T[], read: (item: T) => string | undefined) => {
    return () => items.reduce((sum, item) => sum + read(item)!.length, 0);
  };
  const contenders = {
    closure: each(pods, closure),
    'interpreted path': each(pods, interpret),
    'compiled path': each(pods, (pod) => compiled(pod)[0]),
    'compiled path on bytes, JavaScript': each(
      bodies,
      (body) => onBytes.indexValues(body, 0, body.length)[0],
    ),
    'JSON.parse and closure': each(bodies, (body) => closure(JSON.parse(body.toString('latin1')) as Pod)),
  };
  return Object.entries(contenders).map(([contender, run]) => ({
    row: ROWS.indexValue,
    contender,
    operations: pods.length,
    run,
  }));
}

/** The least that a walk along a path does. */
function interpret(pod: Pod): string | undefined {
  let value: unknown = pod;
  for (const step of STEPS) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value as string | undefined;
}
