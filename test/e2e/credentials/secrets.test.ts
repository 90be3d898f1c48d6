import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { base64 } from '../../transport/kube-configs.ts';
import { SECRETS } from './known-secrets.ts';

/** What the program printed: errors with all that hangs on them, health, stats, metrics, warnings, output of workers. */
let printed: string;

before(async () => {
  const program = fileURLToPath(new URL('secret-home.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, error, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  printed = out + error;
  assert.equal(code, 0, printed.slice(-5000));
});

describe('what a program with secrets can get to see', () => {
  for (const [name, secret] of Object.entries(SECRETS)) {
    it(`never has the ${name}, in whatever form`, () => {
      for (const form of [secret, base64(secret), encodeURIComponent(secret), base64(`ann:${secret}`)]) {
        assertAbsent(form);
      }
    });
  }

  it('never has a private key', () => {
    assertAbsent('PRIVATE KEY');
    // How each P-256 key in PKCS #8 begins.
    assertAbsent('MIGHAgEAMBMGByqGSM49');
  });

  it('has an error of each situation, so that there was something to look at', () => {
    const situations = [...printed.matchAll(/^== ([\w-]+): (.*)$/gm)].map(([, name, codes]) => [name, codes]);
    assert.match(printed, /name: 'kubering_/, 'metrics are among it');
    assert.equal(situations.length, 40, situations.join('; '));
    assert.deepEqual(
      situations.filter(([, codes]) => codes === ''),
      [],
    );
    const codes = new Set(situations.flatMap(([, codes]) => codes!.split(', ')));
    for (const code of [
      'unauthorized',
      'exec-failed',
      'exec-timeout',
      'oidc-failed',
      'proxy-failed',
      'worker-lost',
    ]) {
      assert.ok(codes.has(code), `${code} is not among ${[...codes].join(', ')}`);
    }
  });
});

function assertAbsent(secret: string): void {
  const at = printed.indexOf(secret);
  assert.equal(at, -1, `found in: ${printed.slice(Math.max(0, at - 200), at + 100)}`);
}
