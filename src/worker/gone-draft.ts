/** An object that is not there: its key, and the resourceVersion at which the server did not have it. */
import { type HashSeed, hashKey, type KeyHash } from '../layout/key-hash.ts';
import type { BlockDraft } from './delta-writer.ts';

export class GoneDraft implements BlockDraft {
  readonly namespaceLength: number;
  readonly nameLength: number;
  readonly uidLength = 0;
  readonly resourceVersionLength: number;
  readonly identityBytes: number;
  readonly fieldCount = 0;
  readonly fieldBytes = 0;
  readonly bodyLength = 0;
  readonly hashLo: number;
  readonly hashHi: number;
  readonly isAscii = false;

  readonly #parts: readonly Buffer[];

  /** @param namespace - '' for an object without one */
  constructor(namespace: string, name: string, resourceVersion: string, seed: HashSeed) {
    const parts = [namespace, name, resourceVersion].map((part) => Buffer.from(part));
    this.#parts = parts;
    this.namespaceLength = parts[0]!.length;
    this.nameLength = parts[1]!.length;
    this.resourceVersionLength = parts[2]!.length;
    const separatorLength = namespace === '' ? 0 : 1;
    this.identityBytes = parts.reduce((sum, { length }) => sum + length, separatorLength);
    const hash: KeyHash = { lo: 0, hi: 0 };
    hashKey(namespace === '' ? name : `${namespace}/${name}`, seed, hash);
    this.hashLo = hash.lo | 0;
    this.hashHi = hash.hi | 0;
  }

  writeIdentity(target: Buffer, at: number, separator: number): void {
    const [namespace, name, resourceVersion] = this.#parts as [Buffer, Buffer, Buffer];
    let to = at;
    if (namespace.length > 0) {
      to += namespace.copy(target, to);
      target[to++] = separator;
    }
    to += name.copy(target, to);
    resourceVersion.copy(target, to);
  }

  writeFields(): void {}

  writeBody(): void {}
}
