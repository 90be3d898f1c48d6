/** How an informer is doing that has several reflectors: as the one of them that is doing worst. */
import type { InformerHealth } from './health.ts';

/** @param healths - of each reflector, at least one */
export function mergeHealth(healths: readonly InformerHealth[]): InformerHealth {
  if (healths.length === 1) return healths[0]!;
  const latestError = healths
    .filter(({ lastErrorAgeMs }) => lastErrorAgeMs !== undefined)
    .sort((a, b) => a.lastErrorAgeMs! - b.lastErrorAgeMs!)[0];
  const sum = (field: 'lists' | 'relists' | 'watches' | 'rewatches' | 'fallbacks') =>
    healths.reduce((total, health) => total + health[field], 0);
  const worst = healths.find(({ state }) => state !== 'watching') ?? healths[0]!;
  const contacts = healths.map(({ lastContactAgeMs }) => lastContactAgeMs);
  return {
    state: worst.state,
    connected: healths.every(({ connected }) => connected),
    synced: healths.every(({ synced }) => synced),
    degraded: healths.some(({ degraded }) => degraded),
    lastContactAgeMs: contacts.includes(undefined) ? undefined : Math.max(...(contacts as number[])),
    lastEventAgeMs: least(healths.map(({ lastEventAgeMs }) => lastEventAgeMs)),
    lastError: latestError?.lastError,
    lastErrorAgeMs: latestError?.lastErrorAgeMs,
    lists: sum('lists'),
    relists: sum('relists'),
    watches: sum('watches'),
    rewatches: sum('rewatches'),
    fallbacks: sum('fallbacks'),
    backoffMs: Math.max(...healths.map(({ backoffMs }) => backoffMs)),
  };
}

function least(ages: readonly (number | undefined)[]): number | undefined {
  const known = ages.filter((age) => age !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
