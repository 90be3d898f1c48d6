/** Mistakes that the product could have, put in by a test to see whether the simulation finds them. */
import { Feed } from '../../src/informer/feed.ts';
import { RecordKind } from '../../src/layout/ring.ts';
import { Backoff } from '../../src/reflector/backoff.ts';
import { Requests } from '../../src/reflector/requests.ts';
import { type BlockRef, Holds, Indexer } from '../../src/store/index.ts';
import { Ledger } from '../../src/worker/ledger.ts';

/** Puts a mistake in; what it returns takes it out again. */
export type Bug = () => () => void;

export const BUGS: Readonly<Record<string, Bug>> = {
  'a lost tombstone': () => replace(Indexer.prototype, 'sweepUnseen', () => () => -1),

  'a bookmark taken as an event': () =>
    replace(
      Feed.prototype,
      'push',
      (push) =>
        function (this: Feed<unknown>, kind: number, block: BlockRef) {
          push.call(this, kind === RecordKind.bookmark ? RecordKind.added : kind, block);
        },
    ),

  'a body freed too early': () => {
    const giveBack = [
      replace(Holds.prototype, 'hold', () => () => {}),
      replace(Holds.prototype, 'unhold', () => () => {}),
    ];
    return () => {
      for (const one of giveBack) one();
    };
  },

  'a body that is never freed': () => replace(Holds.prototype, 'unhold', () => () => {}),

  'a block given back twice': () =>
    replace(
      Holds.prototype,
      'retire',
      (retire) =>
        function (this: Holds, ref: BlockRef) {
          retire.call(this, ref);
          if (ref.stamp % 7 === 0) retire.call(this, ref);
        },
    ),

  'a watch that begins one version too late': () =>
    replace(
      Requests.prototype,
      'watch',
      (watch) =>
        function (this: Requests, version: string, isNew: boolean) {
          return watch.call(this, String(Number(version) + 1), isNew);
        },
    ),

  'a relist that takes a changed object for a known one': () => {
    const keys = new WeakMap<Ledger, Set<string>>();
    const giveBack = [
      replace(
        Ledger.prototype,
        'set',
        (set) =>
          function (this: Ledger, ...args: Parameters<Ledger['set']>) {
            if (!keys.has(this)) keys.set(this, new Set());
            keys.get(this)!.add(`${args[0]} ${args[1]}`);
            set.apply(this, args);
          },
      ),
      replace(
        Ledger.prototype,
        'isSame',
        (isSame) =>
          function (this: Ledger, ...args: Parameters<Ledger['isSame']>) {
            return isSame.apply(this, args) || keys.get(this)?.has(`${args[0]} ${args[1]}`) === true;
          },
      ),
    ];
    return () => {
      for (const one of giveBack) one();
    };
  },

  'delays that are next to nothing': () => replace(Backoff.prototype, 'next', () => () => 1),
};

/** Replaces a method of all objects of a class. */
function replace<T extends object, K extends keyof T>(
  prototype: T,
  name: K,
  wrap: (method: T[K]) => T[K],
): () => void {
  const method = prototype[name];
  prototype[name] = wrap(method);
  return () => {
    prototype[name] = method;
  };
}
