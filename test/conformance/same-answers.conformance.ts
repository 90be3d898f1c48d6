/** The fake API server answers as a real one does: each request is made to both. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeApiServer } from '../../src/testing/index.ts';
import { Connection } from './harness/connection.ts';
import { Interview } from './suite/interview.ts';
import {
  CLEARED,
  FORGOTTEN,
  QUESTIONS,
  type Question,
  REMEMBERED,
  UNAUTHORIZED,
} from './suite/questions/index.ts';
import { openRealServer, type RealServer } from './suite/real-server.ts';
import { newNamespace, servesWatches, WIDGETS } from './suite/server-under-test.ts';

describe('the fake API server answers like a real one', () => {
  let real: RealServer;
  let fake: FakeApiServer;
  let fakeApi: Connection;
  let interviews: { real: Interview; fake: Interview };

  before(async () => {
    real = await openRealServer();
    fake = await FakeApiServer.start({ resources: [WIDGETS], gzip: true });
    fakeApi = new Connection({ url: fake.url });
    const namespace = await newNamespace(real.api);
    interviews = { real: new Interview(real.api, namespace), fake: new Interview(fakeApi, namespace) };
  });
  after(async () => {
    await fakeApi.close();
    await fake.stop();
    await real.close();
  });

  async function compare(
    question: Question,
    { real, fake }: { real: Interview; fake: Interview },
  ): Promise<void> {
    const [expected, actual] = await Promise.all([real.ask(question), fake.ask(question)]);
    if (question.differsIn === 'everything') {
      assert.notDeepEqual(actual, expected, 'they agree now: take it off the list of differences');
      return;
    }
    if (question.differsIn === 'message') {
      assert.notEqual(actual.body.message, expected.body.message, 'they agree now');
      actual.body.message = expected.body.message;
    }
    assert.deepEqual(actual, expected);
    // The order of keys is what scanners of bytes see.
    const isSameText = JSON.stringify(actual.body) === JSON.stringify(expected.body);
    assert.equal(isSameText, question.differsIn !== 'order', JSON.stringify([actual.body, expected.body]));
  }

  for (const question of QUESTIONS) {
    const { name, because } = question;
    it(because === undefined ? name : `${name} (otherwise: ${because})`, () => compare(question, interviews));
  }

  describe('when the history is forgotten', () => {
    before(async () => {
      for (const question of REMEMBERED) await compare(question, interviews);
      await real.control.compact();
      await real.control.killApiServer();
      await real.control.startApiServer();
      await servesWatches(real.api, WIDGETS);
      fake.compact();
    });

    for (const question of [...FORGOTTEN, ...CLEARED]) it(question.name, () => compare(question, interviews));
  });

  it(UNAUTHORIZED.name, async () => {
    const strict = await FakeApiServer.start({ tokens: ['right'] });
    const ofReal = new Connection({ url: real.access.url, ca: real.access.ca, token: 'wrong' });
    const ofFake = new Connection({ url: strict.url, token: 'wrong' });
    try {
      await compare(UNAUTHORIZED, {
        real: new Interview(ofReal, 'default'),
        fake: new Interview(ofFake, 'default'),
      });
    } finally {
      await ofReal.close();
      await ofFake.close();
      await strict.stop();
    }
  });
});
