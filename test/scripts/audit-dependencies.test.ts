import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAudit } from '../../scripts/audit/read-audit.ts';

describe('the audit of dependencies', () => {
  it('has a line for each package that something is known against', () => {
    const via = [{ title: 'Prototype pollution' }, 'other'];
    const vulnerabilities = { x: { name: 'x', severity: 'high', range: '<2.0.0', via } };

    assert.deepEqual(readAudit(JSON.stringify({ vulnerabilities })), {
      advisories: ['high: x <2.0.0 (Prototype pollution, other)'],
      problem: undefined,
    });
  });

  it('has none when nothing is known', () => {
    assert.deepEqual(readAudit('{"vulnerabilities":{}}'), { advisories: [], problem: undefined });
  });

  for (const [what, json] of [
    ['npm is not there', ''],
    ['the registry can not be reached', '{"error":{"code":"ENOAUDIT","summary":""}}'],
    ['the registry knows no audits', '{"message":"404 Not Found","method":"POST"}'],
  ] as const) {
    it(`says why nothing is known when ${what}`, () => {
      const { advisories, problem } = readAudit(json);
      assert.deepEqual(advisories, []);
      assert.match(problem ?? '', /./);
    });
  }
});
