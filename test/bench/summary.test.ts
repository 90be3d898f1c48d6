import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entrant } from '../../bench/contenders/index.ts';
import type { Figures } from '../../bench/figures.ts';
import { loadWarning } from '../../bench/machine.ts';
import type { RunResult } from '../../bench/run.ts';
import { ratioOf, spreadOf, summarise } from '../../bench/summary.ts';
import { tablesOf, toMarkdown } from '../../bench/tables.ts';

const OURS: Entrant = { library: 'kubering', workload: 'keys' };
const THEIRS: Entrant = { library: 'client-node', workload: 'keys' };

describe('bench summary', () => {
  it('takes the median of an odd and of an even number of rounds', () => {
    assert.deepEqual(spreadOf([30, 10, 20]), { median: 20, min: 10, max: 30 });
    assert.deepEqual(spreadOf([40, 10, 30, 20]), { median: 25, min: 10, max: 40 });
  });

  it('keeps contenders and workloads apart, and leaves out figures that no run has', () => {
    const rows = summarise([
      run(OURS, { listMs: 10 }),
      run(THEIRS, { listMs: 70 }),
      run(OURS, { listMs: 20 }),
    ]);

    assert.deepEqual(
      rows.map(({ library, rounds, figures }) => [library, rounds, figures.listMs?.median]),
      [
        ['kubering', 2, 15],
        ['client-node', 1, 70],
      ],
    );
    assert.equal(rows[0]!.figures.sharedMb, undefined);
  });

  it('divides medians, and says nothing when one is missing', () => {
    const [ours, theirs] = summarise([run(OURS, { listMs: 10, sharedMb: 1 }), run(THEIRS, { listMs: 40 })]);

    assert.equal(ratioOf(ours, theirs, 'listMs'), 0.25);
    assert.equal(ratioOf(ours, theirs, 'sharedMb'), undefined);
    assert.equal(ratioOf(undefined, theirs, 'listMs'), undefined);
  });

  it('names losses, whether less or more is better', () => {
    const table = tablesOf(
      summarise([
        run(OURS, { listMs: 20, eventsPerSecond: 500, rssPeakMb: 50 }),
        run(THEIRS, { listMs: 10, eventsPerSecond: 1000, rssPeakMb: 100 }),
      ]),
    )[0]!;

    assert.equal(table.lines['list: until synced, ms']!.ratio, '2.00 worse');
    assert.equal(table.lines['watch: events/s']!.ratio, '0.50 worse');
    assert.equal(table.lines['RSS peak, MB']!.ratio, '0.50');
    assert.match(toMarkdown(table), /^\| RSS peak, MB \| 100 \| 50 \| 0\.50 \|$/m);
  });

  it('warns of load that others make', () => {
    const machine = { cpu: '', cores: 4, memoryGb: 8, platform: '' };
    assert.equal(loadWarning({ loadavg: [1.9, 9, 9], machine }), undefined);
    assert.match(loadWarning({ loadavg: [2.5, 0, 0], machine })!, /load average is 2.5 on 4 cores/);
  });
});

function run(entrant: Entrant, figures: Figures): RunResult {
  return { ...entrant, round: 1, figures, checksum: '', problems: [] };
}
