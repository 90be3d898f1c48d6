import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setUp, watching } from './set-up.ts';

describe('Reflector asks', () => {
  it('for JSON that is not compressed', () => {
    const { transport } = watching();
    for (const { request } of transport.requests) {
      assert.deepEqual(request.headers, { accept: 'application/json', 'accept-encoding': 'identity' });
    }
  });

  it('for the media type and the compression of its options', () => {
    const { transport } = watching({ accept: 'application/json;stream=watch', compression: 'gzip' });
    for (const { request } of transport.requests) {
      assert.deepEqual(request.headers, {
        accept: 'application/json;stream=watch',
        'accept-encoding': 'gzip',
      });
    }
  });

  it('for metadata alone, with whole objects as the second choice', () => {
    const { transport } = watching({ metadataOnly: true, accept: 'ignored' });
    const ofList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
    const ofWatch = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    assert.deepEqual(
      transport.requests.map(({ request }) => request.headers.accept),
      [ofList, ofWatch],
    );

    const stream = setUp({ metadataOnly: true, initialList: 'watchList' });
    stream.reflector.start();
    assert.equal(stream.transport.last.request.headers.accept, ofWatch);
  });

  it('and takes a list of metadata for a list', () => {
    const { transport, reflector } = setUp({ metadataOnly: true });
    reflector.start();
    transport.last.reply(200, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '10' },
      items: [{ metadata: { name: 'a' } }],
    });

    assert.equal(reflector.lastSyncResourceVersion, '10');
  });
});
