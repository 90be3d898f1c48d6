/** What a label selector asks for, and whether labels answer it. */

/** One condition on one label. `=`, `==` are `in` with one value, `!=` is `notin` with one. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/**
 * A parsed label selector: labels match when they meet all its requirements.
 * Source: `internalSelector` in apimachinery's `pkg/labels/selector.go`.
 */
export class LabelSelector {
  readonly requirements: readonly Requirement[];

  constructor(requirements: readonly Requirement[]) {
    this.requirements = requirements;
  }

  /** True for labels that meet every requirement; without requirements, for all. */
  matches(labels: Readonly<Record<string, unknown>>): boolean {
    for (const requirement of this.requirements) if (!meets(requirement, labels)) return false;
    return true;
  }
}

function meets({ key, operator, values }: Requirement, labels: Readonly<Record<string, unknown>>): boolean {
  // A label may be called `constructor`: only own keys count.
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (typeof value !== 'string') return operator === 'absent' || operator === 'notin';
  switch (operator) {
    case 'exists':
      return true;
    case 'absent':
      return false;
    case 'in':
      return values.includes(value);
    case 'notin':
      return !values.includes(value);
    default:
      return isBeyond(value, operator, values[0]!);
  }
}

const INTEGER = /^[+-]?[0-9]+$/;

/** A label that is no integer is neither above nor below anything. */
function isBeyond(value: string, operator: 'gt' | 'lt', bound: string): boolean {
  if (!isInt64(value)) return false;
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/** Whether a text is an integer of 64 bits, as Go parses them. */
export function isInt64(text: string): boolean {
  if (!INTEGER.test(text)) return false;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value;
}
