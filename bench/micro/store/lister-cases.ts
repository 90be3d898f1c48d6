/** Reads of kubering's cache, on the thread of the informer or on another one. */
import type { Lister } from '../../../src/index.ts';
import type { Case } from './measure.ts';
import {
  asKey,
  keysOf,
  LOOKUPS,
  NAMESPACE,
  type Pod,
  ROWS,
  sumOfNames,
  TEN_VALUE,
  THOUSAND_VALUE,
} from './rows.ts';

export function listerCases(contender: string, lister: Lister<Pod>): Case[] {
  const keys = keysOf(lister.keys(), asKey);
  const found = (next: (i: number) => string) => () => {
    let sum = 0;
    for (let i = 0; i < LOOKUPS; i++) sum += lister.get(next(i))?.metadata.name.length ?? 1;
    return sum;
  };
  const phases = () => {
    let sum = 0;
    for (let i = 0; i < LOOKUPS; i++) sum += (lister.ref(keys.next())!.column('phase') as string).length;
    return sum;
  };
  const ten = () => sumOfNames(lister.byIndex('byTen', TEN_VALUE));
  const thousand = () => sumOfNames(lister.byIndex('byThousand', THOUSAND_VALUE));
  const countThousand = () => lister.query({ byThousand: THOUSAND_VALUE }).count();
  const both = () => sumOfNames(lister.query({ byThousand: THOUSAND_VALUE, namespace: NAMESPACE }).objects());
  const refs = () => lister.refs({ namespace: NAMESPACE }).length;
  const objects = () => sumOfNames(lister.list({ namespace: NAMESPACE }));
  return [
    { row: ROWS.getHot, contender, operations: LOOKUPS, run: found((i) => keys.hot[i]!) },
    { row: ROWS.getCold, contender, operations: LOOKUPS, run: found(() => keys.next()) },
    { row: ROWS.getMissing, contender, operations: LOOKUPS, run: found((i) => keys.missing[i]!) },
    { row: ROWS.readField, contender, operations: LOOKUPS, run: phases },
    { row: ROWS.byTen, contender, operations: 1, run: ten },
    { row: ROWS.byThousand, contender, operations: 1, run: thousand },
    { row: ROWS.keysByThousand, contender, operations: 1, run: countThousand },
    { row: ROWS.intersection, contender, operations: 1, run: both },
    { row: ROWS.listRefs, contender, operations: 1, run: refs },
    { row: ROWS.listObjects, contender, operations: 1, run: objects },
  ];
}
