/** An entry of `status.conditions`, as `metav1.Condition`. */
export interface Condition {
  /** Unique in its list, for example `Ready`. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** When the status last changed, to the second. A string; client-node's types say Date, and then it is one. */
  readonly lastTransitionTime: string | Date;
  /** One word in CamelCase for programs. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** `metadata.generation` of the object that this was found of. */
  readonly observedGeneration?: number;
}

/** A condition to set. Without a time, a change of status happens now. */
export interface ConditionUpdate extends Omit<Condition, 'lastTransitionTime'> {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: Condition['lastTransitionTime'];
}

/**
 * Sets the condition of a type, by the rules of apimachinery's `meta.SetStatusCondition`: a new one goes to the end;
 * `lastTransitionTime` changes only when `status` does; reason, message and observedGeneration always do.
 *
 * @param conditions - is not changed
 * @param nowMs - milliseconds since 1970
 * @returns a new list, or `conditions` itself when nothing differs
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: ConditionUpdate,
  nowMs: number = Date.now(),
): readonly Condition[] {
  const { lastTransitionTime = secondsTime(nowMs), ...update } = condition;
  const before = conditions?.find(({ type }) => type === condition.type);
  if (conditions === undefined || before === undefined) {
    return [...(conditions ?? []), { ...update, lastTransitionTime }];
  }
  if (isSame(before, update)) return conditions;
  const isTransition = before.status !== update.status;
  const { observedGeneration: _old, ...rest } = before;
  const after: Condition = {
    ...rest,
    ...update,
    lastTransitionTime: isTransition ? lastTransitionTime : before.lastTransitionTime,
  };
  return conditions.map((each) => (each === before ? after : each));
}

/** RFC 3339 in whole seconds, as `metav1.Time`. */
export function secondsTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -'.000Z'.length)}Z`;
}

function isSame(before: Condition, after: Omit<Condition, 'lastTransitionTime'>): boolean {
  return (
    before.status === after.status &&
    before.reason === after.reason &&
    before.message === after.message &&
    before.observedGeneration === after.observedGeneration
  );
}
