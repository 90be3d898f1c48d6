import assert from 'node:assert/strict';
import type { InformerError } from '../../../src/index.ts';

/** What failed, of which resource, why, and what happens next. */
const REQUEST_ERROR =
  /^(list|watch|watch list) of \S+( in namespace \S+)? failed: .{10,}; (next try in \d+\.\d s|trying again now)$/;
const HANDLER_ERROR = /^a handler of (\S+) failed on the (add|update|delete) of \S+: ./;

/** Each error says what a person needs to know, and to a program the same. */
export function assertErrorsAreClear(errors: readonly InformerError[], resource: string): void {
  for (const { message, code, resource: named, retryInMs } of errors) {
    const isOfHandler = code === 'handler-failed';
    assert.match(message, isOfHandler ? HANDLER_ERROR : REQUEST_ERROR);
    assert.ok(message.includes(resource) && named.includes(resource), message);
    assert.match(code, /^[a-z-]+$/, message);
    assert.equal(typeof retryInMs, isOfHandler ? 'undefined' : 'number', message);
    assert.doesNotMatch(message, /undefined|\[object|null/);
  }
}
