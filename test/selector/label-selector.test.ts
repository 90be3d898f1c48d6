import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLabelSelector } from '../../src/selector/index.ts';

const WEB = { app: 'web', 'app.kubernetes.io/name': 'web', tier: '', replicas: '3', in: 'x' };

describe('label selector', () => {
  for (const [selector, isMatch] of [
    ['', true],
    ['  ', true],
    ['app=web', true],
    ['app==web', true],
    [' app = web ', true],
    ['app=api', false],
    ['app!=web', false],
    ['app!=api', true],
    ['missing!=web', true],
    ['missing=web', false],
    ['app', true],
    ['missing', false],
    ['!app', false],
    ['! missing', true],
    ['app in (api,web)', true],
    ['app in (api)', false],
    ['app in(web)', true],
    ['missing in (web)', false],
    ['app notin (api, db)', true],
    ['app notin (api,web)', false],
    ['missing notin (web)', true],
    ['tier=', true],
    ['tier in ()', true],
    ['tier in (a,)', true],
    ['tier in (,a)', true],
    ['tier in (a,,b)', true],
    ['app in (,)', false],
    ['missing in ()', false],
    ['app=,tier', false],
    ['replicas>2', true],
    ['replicas > 3', false],
    ['replicas<4', true],
    ['replicas<-9223372036854775808', false],
    ['app>1', false],
    ['missing<1', false],
    ['app=web,tier=,!missing,replicas>2', true],
    ['app=web,app=api', false],
    ['app.kubernetes.io/name=web', true],
    ['in in (x)', true],
    ['in', true],
    ['in=x,notin!=y', true],
    ['constructor', false],
    ['!toString', true],
  ] as const) {
    it(`${JSON.stringify(selector)} ${isMatch ? 'matches' : 'does not match'}`, () => {
      assert.equal(parseLabelSelector(selector).matches(WEB), isMatch);
    });
  }

  it('takes a label that is no string for none', () => {
    const labels = JSON.parse('{"app":7,"__proto__":{"tier":"x"}}') as Record<string, unknown>;

    assert.equal(parseLabelSelector('app').matches(labels), false);
    assert.equal(parseLabelSelector('tier').matches(labels), false);
    assert.equal(parseLabelSelector('!app,app!=7').matches(labels), true);
  });

  it('compares numbers beyond 2^53 exactly', () => {
    const selector = parseLabelSelector('n>9007199254740992');

    assert.equal(selector.matches({ n: '9007199254740993' }), true);
    assert.equal(selector.matches({ n: '9007199254740992' }), false);
    assert.equal(selector.matches({ n: '9223372036854775808' }), false, 'no integer of 64 bits');
  });

  for (const [selector, position, reason] of [
    [',', 0, "found ',', expected: !, identifier, or 'end of string'"],
    ['=x', 0, "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', 2, "found '', expected: identifier after ','"],
    ['a=b,,c', 4, "found ',', expected: identifier after ','"],
    ['a b', 2, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', 4, "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', 2, "found '=', expected: ',' or 'end of string'"],
    ['!', 1, "unable to parse requirement: found '', expected: identifier"],
    ['a=(b)', 2, "unable to parse requirement: found '(', expected: identifier"],
    ['a in b', 5, "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', 7, "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', 8, "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (=)', 6, "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b))', 8, "found ')', expected: ',' or 'end of string'"],
    ['a>b', 2, /^unable to parse requirement: values\[0\]: Invalid value: "b": .* must be an integer$/],
    ['a<', 2, /^unable to parse requirement: values\[0\]: Invalid value: "": .* must be an integer$/],
    ['x,-a=b', 2, /^unable to parse requirement: key: Invalid value: "-a": name part must consist of/],
    ['a/b/c', 0, /^unable to parse requirement: key: Invalid value: "a\/b\/c": a qualified name must/],
    ['/a', 0, /prefix part must be non-empty/],
    ['A.b/c', 0, /prefix part must consist of lower case/],
    ['a/', 0, /name part must be non-empty/],
    [`${'a'.repeat(64)}=x`, 0, /name part must be no more than 63 bytes/],
    [`${'a'.repeat(254)}/x`, 0, /prefix part must be no more than 253 bytes/],
    ['a=größe', 2, /a valid label must be an empty string or consist of alphanumeric/],
    [`a=${'b'.repeat(64)}`, 2, /must be no more than 63 bytes/],
    ['a in (b,-c)', 8, /Invalid value: "-c": a valid label must be/],
  ] as const) {
    it(`${JSON.stringify(selector.slice(0, 20))} is refused at position ${position}, in the server's words`, () => {
      assert.throws(
        () => parseLabelSelector(selector),
        (error: Error) => {
          const { code, position: at, reason: said } = error as Error & Record<string, unknown>;
          assert.deepEqual([error.name, code, at], ['LabelSelectorError', 'LABEL_SELECTOR', position]);
          if (typeof reason === 'string') assert.equal(said, reason);
          else assert.match(said as string, reason);
          assert.ok(error.message.includes(`is wrong at position ${position}: ${said}`));
          return true;
        },
      );
    });
  }

  it('is refused when it is no string', () => {
    assert.throws(() => parseLabelSelector(7 as unknown as string), { code: 'LABEL_SELECTOR' });
  });
});
