import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RunHeader } from '../../bench/machine.ts';
import type { RunResult } from '../../bench/run.ts';
import type { SummaryRow } from '../../bench/summary.ts';

const SMOKE = fileURLToPath(new URL('../../bench/smoke.ts', import.meta.url));
const RESULTS = new URL('../../results/', import.meta.url);

interface Output {
  header: RunHeader;
  rows: SummaryRow[];
  runs: RunResult[];
}

describe('bench:smoke', () => {
  it('runs small, with right answers from every contender, and writes no results unless told to', async () => {
    const before = savedResults();
    const { header, rows, runs } = JSON.parse(
      await smoke('--pods', '200', '--events', '500', '--rounds', '1', '--json'),
    ) as Output;

    assert.deepEqual(
      rows.map(({ library, workload }) => `${library} ${workload}`),
      [
        'client-node keys',
        'kubering keys',
        'client-node decode',
        'kubering decode-new',
        'kubering decode',
        'kubering decode-drop',
      ],
    );
    assert.deepEqual(
      runs.flatMap(({ problems }) => problems),
      [],
    );
    // All saw the same data: the checksum is that of the server's objects after the same updates.
    assert.equal(new Set(runs.map(({ checksum }) => checksum)).size, 1);
    for (const { figures } of runs) {
      assert.ok(figures.listMs! > 0 && figures.eventsPerSecond! > 0 && figures.rssPeakMb! > 0);
    }
    assert.deepEqual(header.options, { pods: 200, events: 500, seed: 20261130, rounds: 1 });
    assert.deepEqual(savedResults(), before);
  });

  it('refuses sizes that make no sense, and says what would', async () => {
    await assert.rejects(smoke('--events', '1'), { code: 2, stderr: /--events is a whole number from 2 on/ });
  });
});

async function smoke(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SMOKE, ...args]);
  return stdout;
}

function savedResults(): string[] {
  return existsSync(RESULTS) ? readdirSync(RESULTS) : [];
}
