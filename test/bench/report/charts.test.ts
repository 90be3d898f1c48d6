import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chartsOf, loadDrawer } from '../../../bench/report/charts.ts';
import { groupsOf } from '../../../bench/report/groups.ts';
import { HEADER, resultsOf, samples, someLines } from './fixtures.ts';

const NOT_INSTALLED = 'npm install --prefix bench brings what draws charts';
const draw = await loadDrawer();

describe('benchmark charts', () => {
  it('are made of figures that several contenders have', () => {
    const charts = chartsOf(groupsOf(resultsOf(someLines()).samples));

    assert.deepEqual(
      charts.map(({ name }) => name),
      ['list', 'list-rss', 'list-stall', 'events'],
    );
  });

  it('are not made of kubering alone, or of wrong answers', () => {
    const alone = samples('list', 'kubering', { figures: { wallMs: 1000 } });
    const wrong = samples('list', 'client-node', { answer: { right: false, problems: ['x'] } });

    assert.deepEqual(chartsOf(groupsOf(resultsOf([HEADER, ...alone, ...wrong]).samples)), []);
  });

  it('show each contender with its median, without a background', {
    skip: draw === undefined && NOT_INSTALLED,
  }, async () => {
    const [list] = chartsOf(groupsOf(resultsOf(someLines()).samples));
    const svg = await draw!(list!);

    for (const text of ['kubering, keys read', 'client-node', '>1,000<', '>7,000<']) {
      assert.ok(svg.includes(text), text);
    }
    assert.ok(!svg.includes('client-go, typed JSON'));
    assert.ok(!/<rect[^>]*fill="(white|#fff)/.test(svg));
  });

  it('are the same file when drawn again', { skip: draw === undefined && NOT_INSTALLED }, async () => {
    const [list, rss] = chartsOf(groupsOf(resultsOf(someLines()).samples));
    const first = await draw!(list!);
    await draw!(rss!);

    assert.equal(await draw!(list!), first);
  });
});
