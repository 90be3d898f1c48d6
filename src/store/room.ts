/** Which memory above the limit a block may be put in. */
export const Room = {
  /** None, and the limit of its source counts, too: an object. */
  normal: 0,
  /** A block that makes room possible, and is small: deletes, marks, control records. */
  small: 1,
  /** The copy of a block that is to be freed: none, and not even another segment below the limit. */
  move: 2,
} as const;

export type Room = (typeof Room)[keyof typeof Room];
