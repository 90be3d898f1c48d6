import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reconcilesBegun, shiftsOf } from './operator-log.ts';

describe('the log of several operators', () => {
  it('tells who worked, in order, and how often', () => {
    const text = log('a begins x', 'a begins y', 'a ends x', 'leads', 'a ends y', 'b begins x', 'b ends x');

    assert.deepEqual(shiftsOf(text), ['a', 'b']);
    assert.equal(reconcilesBegun(text), 3);
  });

  it('shows that one began before the other one had ended', () => {
    const text = log('a begins x', 'b begins y', 'b ends y');

    assert.throws(() => shiftsOf(text), /a still worked on x at: b begins y/);
    assert.deepEqual(shiftsOf(text, { killed: 'a' }), ['a', 'b']);
  });

  it('shows that one went on after another one had taken over, also when it was to be killed', () => {
    const text = log('a begins x', 'b begins y', 'b ends y', 'a ends x');

    assert.throws(() => shiftsOf(text, { killed: 'a' }), /somebody else had taken over before: a ends x/);
  });

  it('shows that a key was worked on twice at a time', () => {
    assert.throws(() => shiftsOf(log('a begins x', 'a begins x')), /it worked on that already/);
  });
});

function log(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
