import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { BodyStream } from '../../src/testing/body-stream.ts';
import { packObject } from '../../src/testing/encode.ts';
import { writeList } from '../../src/testing/list.ts';
import { Resource } from '../../src/testing/resources.ts';
import { newStats } from '../../src/testing/stats.ts';
import { BARE } from '../../src/testing/stored-object.ts';

const ITEM_BYTES = 4 * 1024 * 1024;

describe('testing: lists that no string can hold', () => {
  it('writes more than 512 MB item by item, and no more than the client takes', async () => {
    const resource = new Resource(
      { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
      false,
    );
    // All items share their bytes: the list is large, the memory is not.
    const [beforeVersion, restOfMetadata] = ['{"metadata":{"name":"x","resourceVersion":"', '"}'];
    const restOfBody = `,"spec":{"text":"${'x'.repeat(ITEM_BYTES)}"}`;
    const text = { beforeVersion, metadataAt: 12, restOfMetadata, restOfBody, tail: '}' };
    const facts = { namespace: 'd', name: 'x', uid: '', labels: {}, quickFields: [] };
    const object = packObject(text, facts, 7, 'latin1');
    const objects = Array.from({ length: 136 }, () => object);
    const page = { objects, begin: 0, end: 136, resourceVersion: 9, continueToken: '', remaining: undefined };
    let buffered = 0;
    const http = createServer((_request, response) => {
      const stream = new BodyStream(response, newStats(), undefined, () => {}, 'no');
      const timer = setInterval(() => (buffered = Math.max(buffered, response.writableLength)), 1);
      void writeList(stream, page, resource, BARE, undefined).finally(() => clearInterval(timer));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const response = await new Promise<IncomingMessage>((resolve) => get({ port, agent: false }, resolve));
    let bytes = 0;
    let commas = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      for (let at = chunk.indexOf('},{'); at !== -1; at = chunk.indexOf('},{', at + 1)) commas++;
    }
    http.close();
    assert.ok(bytes > 512 * 1024 * 1024, `${bytes}`);
    assert.ok(commas >= 130 && commas <= 135, `${commas}`);
    assert.ok(buffered < 4 * ITEM_BYTES, `${buffered}`);
  });
});
