import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  SCAN_CUT_COUNT,
  SCAN_CUTS,
  SCAN_HASH_LO,
  SCAN_OBJECT_END,
  SCAN_OBJECT_START,
} from '../../src/layout/scan.ts';
import { ListFramer, type ScanEngine, Step } from '../../src/scan/index.ts';
import { keptText, newEngine, spec } from '../scan/harness.ts';
import { meaningOf, newRecords, type Records } from './harness.ts';

describe('records of scanned objects', () => {
  it('are made from the bytes in the scanner, without what the projection cuts', () => {
    const engine = newEngine();
    const program = engine.load(
      spec([], ['metadata.managedFields', 'spec.containers[*].env', 'status.conditions']),
    );
    const records = newRecords();
    let items = 0;
    for (let round = 0; round < 2; round++) {
      const framer = new ListFramer(engine, program);
      framer.push(readFileSync(new URL('../fixtures/wire/list-pods.body', import.meta.url)));
      framer.end();
      for (let step = framer.next(); step !== Step.done; step = framer.next()) {
        assert.equal(step, Step.item);
        assert.ok(engine.resultAt(SCAN_CUT_COUNT) > 0);
        checkItem(engine, records);
        items++;
      }
      framer.close();
    }
    assert.ok(items > 20, `${items} items`);
  });
});

function checkItem(engine: ScanEngine, { transcoder, decoders }: Records): void {
  const at = engine.resultWord + SCAN_CUTS;
  const length = transcoder.encodeFrom(
    engine.bytes,
    engine.resultAt(SCAN_OBJECT_START),
    engine.resultAt(SCAN_OBJECT_END),
    engine.words.subarray(at, at + engine.resultAt(SCAN_CUT_COUNT) * 2),
    { tag: engine.resultAt(SCAN_HASH_LO) },
  );
  assert.ok(length > 0, transcoder.refusal);
  const wanted = meaningOf(keptText(engine));
  for (const decoder of decoders) {
    decoder.load(transcoder.bytes, transcoder.recordStart, transcoder.recordStart + length);
    assert.deepStrictEqual(decoder.decode(), wanted);
  }
}
