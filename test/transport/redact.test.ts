import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { redact, safeCause } from '../../src/transport/errors.ts';

describe('redact', () => {
  const cut: [string, string][] = [
    ['Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
    ['proxy http://ann:p@ss@proxy:3128 failed', 'proxy http://proxy:3128 failed'],
    ['{"token": "abc", "a": 1}', '{"token": [redacted], "a": 1}'],
    ['login --client-secret abc now', 'login --client-secret [redacted] now'],
    ['api_key=abc', 'api_key=[redacted]'],
    ['eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ', '[redacted]'],
  ];
  for (const [text, expected] of cut) {
    it(`makes ${JSON.stringify(expected)}`, () => {
      assert.equal(redact(text), expected);
    });
  }

  for (const text of [
    'the token has expired',
    '/var/run/secrets/kubernetes.io/serviceaccount/token is missing',
    'no route to a1b2c3d4e5.gr7.eu-west-1.eks.amazonaws.example.com',
  ]) {
    it(`leaves ${JSON.stringify(text)}`, () => {
      assert.equal(redact(text), text);
    });
  }

  it('cuts out what is known to be secret, however it looks', () => {
    assert.equal(redact('user sesame or open', ['sesame', 'open']), 'user [redacted] or [redacted]');
  });
});

describe('safeCause', () => {
  it('copies name, code and cleaned text, and nothing else', () => {
    const error = Object.assign(new TypeError('token=abc'), {
      code: 'E1',
      options: { password: 'abc' },
      cause: new Error('abc'),
    });
    const { name, message, code } = safeCause(error) as Error & { code?: string };

    assert.deepEqual([name, message, code], ['TypeError', 'token=[redacted]', 'E1']);
    assert.doesNotMatch(inspect(safeCause(error), { depth: 9, showHidden: true }), /abc/);
  });
});
