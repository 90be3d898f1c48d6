/** Reads what several processes of the operator example wrote to one log, and finds work that was done by two at once. */
import assert from 'node:assert/strict';

const LINE = /^(\S+) (begins|ends) (\S+)$/gm;

/** How many reconciles have begun. */
export function reconcilesBegun(log: string): number {
  return [...log.matchAll(LINE)].filter(([, , what]) => what === 'begins').length;
}

/**
 * Who worked, in order. Whoever has worked and was followed by somebody else may not come again, and has to have ended
 * all that it began, unless it was killed.
 *
 * @throws AssertionError when two worked at a time, or one at the same key twice at a time
 */
export function shiftsOf(log: string, { killed }: { killed?: string } = {}): string[] {
  const shifts: string[] = [];
  const open = new Set<string>();
  for (const [line, identity, what, key] of log.matchAll(LINE)) {
    if (identity !== shifts.at(-1)) {
      const last = shifts.at(-1);
      assert.ok(last === killed || open.size === 0, `${last} still worked on ${[...open]} at: ${line}`);
      assert.ok(!shifts.includes(identity!), `somebody else had taken over before: ${line}`);
      shifts.push(identity!);
      open.clear();
    }
    if (what === 'begins') {
      assert.ok(!open.has(key!), `it worked on that already: ${line}`);
      open.add(key!);
    } else {
      assert.ok(open.delete(key!), `it had not begun: ${line}`);
    }
  }
  return shifts;
}
