/** What the process that shares out seeds and those that run them say to each other. */

/** Run these seeds. */
export interface Batch {
  readonly first: number;
  readonly seeds: number;
}

/** What became of one. */
export interface SeedReport {
  readonly seed: number;
  /** Undefined when all was as it has to be. */
  readonly message: string | undefined;
  readonly tasks: number;
  readonly requests: number;
  readonly writes: number;
  readonly events: number;
  readonly simulatedMs: number;
}
