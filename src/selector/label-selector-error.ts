/** A label selector that can't be used. The message says where it is wrong and what is allowed there. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
  readonly code = 'LABEL_SELECTOR';
  /** The selector as it was given. */
  readonly selector: string;
  /** Character of the selector where it is wrong, counted from 0. */
  readonly position: number;
  /** What is wrong, in the words of the API server. */
  readonly reason: string;

  constructor(selector: string, position: number, reason: string) {
    super(`label selector ${JSON.stringify(selector)} is wrong at position ${position}: ${reason}`);
    this.selector = selector;
    this.position = position;
    this.reason = reason;
  }
}
