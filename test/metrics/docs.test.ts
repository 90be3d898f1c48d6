import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CHANNELS, MAX_SERIES_PER_METRIC, METRICS } from '../../src/metrics/index.ts';

const PAGE = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');

describe('docs/metrics.md', () => {
  it('has a row for each metric, with its type, labels and help, and for no other', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \| (.*?) \| (.+) \|$/gm)];
    const documented = rows.map(([, name, type, labels, help]) => ({
      name: name!,
      type: type!,
      labels: [...labels!.matchAll(/`([a-z]+)`/g)].map(([, label]) => label!),
      help: help!,
    }));

    assert.deepEqual(
      documented.sort(byName),
      METRICS.map(({ name, type, labels, help }) => ({ name, type, labels: [...labels], help })).sort(byName),
    );
  });

  it('names the channels', () => {
    const named = [...PAGE.matchAll(/^\| `(kubering:[a-z:]+)` \|/gm)].map(([, name]) => name);

    assert.deepEqual(named.sort(), Object.values(CHANNELS).sort());
  });

  it('names the limit of series', () => {
    assert.ok(PAGE.includes(`at most ${MAX_SERIES_PER_METRIC.toLocaleString('en-US')} series`));
  });
});

describe('names of metrics', () => {
  for (const { name, type, help } of METRICS) {
    it(`${name} follows the rules of Prometheus`, () => {
      assert.match(name, /^(kubering|informer|workqueue|controller_runtime)_[a-z_]+$/);
      assert.equal(name.endsWith('_total'), type === 'counter');
      assert.match(help, /^\S.*[^.\s]$/);
    });
  }
});

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
